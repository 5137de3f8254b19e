"""Hosts as requests name them: parsed, and each in one spelling (RFC 9110, 7.2; RFC 3986, 3.2.2)."""

import re
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final

AUTHORITY: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9_.-]+))(?::([0-9]*))?")
NAME: Final = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
PORT_MAX: Final = 65535


@lru_cache(256)
def host_of(authority: str) -> str:
    """Return the host that a Host header names, in one spelling: `[::1]:80` is ::1, and `LocalHost.` is localhost.

    An IPv4 address that is mapped to IPv6 is that address. Raises ValueError for anything but a host and optionally a
    port of 1 to 65535, such as user information or a path.
    """
    found = AUTHORITY.fullmatch(authority)
    if found is None or (found[3] and not 0 < int(found[3]) <= PORT_MAX):
        raise ValueError("not a host and optionally a port")
    if found[1] is not None:
        return one_spelling(str(IPv6Address(found[1])))
    name = one_spelling(found[2])
    if NAME.fullmatch(name) is None:
        raise ValueError("not the name of a host")
    return name


def one_spelling(host: str) -> str:
    """Return a name or an address, without brackets and port, in one spelling. A zone (RFC 4007) is not part of it."""
    host = host.lower().partition("%")[0].removesuffix(".")
    try:
        address = ip_address(host)
    except ValueError:
        return host
    return str(getattr(address, "ipv4_mapped", None) or address)
