"""Access to a private port: callers must use its name.

A web page can point a name of its own at a private address (DNS rebinding), and its reader's browser then reaches the
port. Such a request carries the page's name in Host. Callers other than browsers may leave Host out.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import ip_address
from typing import Any, Final

NO_HOST: Final = "A request has one Host header, with a host and optionally a port (RFC 9112, 3.2)."
WRONG_HOST: Final = (
    "This port does not answer to this name. Use its address, localhost, or a name in the setting INTERNAL_NAMES."
)
# Hosts as requests name them (RFC 9110, 7.2; RFC 3986, 3.2.2).
AUTHORITY: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9_.-]*))(?::[0-9]*)?")
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class Guard:
    """The rules of one private port, which listens on the address `bound`."""

    def __init__(self, bound: str, names: Iterable[str] = ()) -> None:
        self.hosts = LOOPBACK | {one_spelling(name) for name in (bound, *names)}

    def wrong_host(self, given: list[str], local_address: Any) -> tuple[int, str] | None:
        """Return the status and the sentence with which a request is refused because of its Host headers, or None.

        It names this port, or the address at which the connection arrived, once; of two, one could be for others.
        """
        if not given:
            return None
        found = AUTHORITY.fullmatch(given[0])
        if found is None or len(given) > 1:
            return 400, NO_HOST
        host = one_spelling(found[1] or found[2])
        local = one_spelling(str(local_address[0])) if local_address else None
        return None if host in self.hosts or host == local else (421, WRONG_HOST)


@lru_cache(256)
def one_spelling(host: str) -> str:
    """Return a name or an address, without brackets and port, in one spelling: `LocalHost.` is localhost.

    A zone (RFC 4007) is not part of it, and an IPv4 address that is mapped to IPv6 is that address.
    """
    host = host.lower().partition("%")[0].removesuffix(".")
    try:
        address = ip_address(host)
    except ValueError:
        return host
    return str(getattr(address, "ipv4_mapped", None) or address)
