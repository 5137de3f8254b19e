"""Access to a private port: callers must use its name, and for changes they must know the operator's secret.

A web page can point a name of its own at a private address (DNS rebinding), and its reader's browser then reaches the
port. Such a request carries the page's name in Host. Callers other than browsers may leave Host out.
"""

import hmac
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import SecretStr

from .hosts import host_of, one_spelling

READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
TWO_HOSTS: Final = "A request has one Host header (RFC 9112, 3.2)."
NO_HOST: Final = "A Host header holds a host and optionally a port (RFC 9112, 3.2)."
WRONG_HOST: Final = (
    "This port is not called by this name. Use its address, localhost, or a name in the setting INTERNAL_NAMES."
)
NO_SECRET: Final = "Changes are disabled: the setting OPERATOR_SECRET is not given."
WRONG_SECRET: Final = "Changes need the operator's secret, in Authorization: Bearer or in X-Operator-Secret."
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class Guard:
    """The rules of one private port, which listens on the address `bound`."""

    def __init__(self, bound: str, names: Iterable[str] = (), secret: SecretStr | None = None) -> None:
        self.hosts = LOOPBACK | {one_spelling(name) for name in (bound, *names)}
        self.secret = secret.get_secret_value().encode() if secret else None

    def wrong_host(self, given: list[str], local_address: Any) -> tuple[int, str] | None:
        """Return the status and the sentence with which a request is refused because of its Host headers, or None.

        It names this port, or the address at which the connection arrived, once; of two, one could be for others.
        """
        if not given:
            return None
        if len(given) > 1:
            return 400, TWO_HOSTS
        try:
            host = given[0] and host_of(given[0])
        except ValueError:
            return 400, NO_HOST
        local = one_spelling(str(local_address[0])) if local_address else None
        return None if host in self.hosts or host == local else (421, WRONG_HOST)

    def refusal(self, method: str, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """Return the status and the sentence with which a change is refused, or None."""
        if method in READING:
            return None
        if self.secret is None:
            return 403, NO_SECRET
        scheme, _, bearer = headers.get("Authorization", "").partition(" ")
        given = headers.get("X-Operator-Secret", "") or (bearer.strip() if scheme.lower() == "bearer" else "")
        known = hmac.compare_digest(given.encode(errors="surrogateescape"), self.secret)
        return None if known else (401, WRONG_SECRET)
