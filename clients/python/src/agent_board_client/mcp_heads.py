"""The heads of calls to `board mcp --http`: they must name a known host and announce JSON, in any spelling.

A web page can point a name of its own at a private address (DNS rebinding). The browser of its reader then calls this
server, with the page's name in Host and in Origin.
"""

import re
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import Scope

from .addresses import PORTS, host_and_port

JSON: Final = "application/json"
ORIGIN: Final = re.compile(r"(https?)://(.*)", re.IGNORECASE)
NO_HOST: Final = PlainTextResponse("A request has one Host header, with a host and optionally a port.\n", 400)
WRONG_HOST: Final = PlainTextResponse("This server is not called by this name.\n", 421)
WRONG_ORIGIN: Final = PlainTextResponse("Pages of this origin may not call this server.\n", 403)
NO_JSON: Final = PlainTextResponse(f"Exactly one Content-Type is required: {JSON}.\n", 415)
ENCODED: Final = PlainTextResponse("The body must be sent without a Content-Encoding.\n", 415)


class Heads:
    """Checks heads for a server that the world knows as `public`, an address in the spelling of `board_address`."""

    def __init__(self, public: str) -> None:
        parts = urlsplit(public)
        self.scheme = parts.scheme
        self.host, port = host_and_port(parts.netloc)
        self.port = port or PORTS[self.scheme]

    def refusal(self, scope: Scope) -> Response | None:
        """Return the answer to a head that is refused, or None."""
        headers = Headers(scope=scope)
        hosts, origins, media_types = (headers.getlist(name) for name in ("Host", "Origin", "Content-Type"))
        try:
            (host,) = hosts or [""]
            is_known = host != "" and self.is_known(*host_and_port(host), self.scheme)
        except ValueError:
            return NO_HOST
        if not is_known:
            return WRONG_HOST
        if origins and (len(origins) > 1 or not self.is_known_origin(origins[0])):
            return WRONG_ORIGIN
        if [media_type_of(value) for value in media_types] != [JSON]:
            return NO_JSON
        codings = ",".join(headers.getlist("Content-Encoding")).lower().split(",")
        return None if {coding.strip(" \t") for coding in codings} <= {"", "identity"} else ENCODED

    def is_known_origin(self, origin: str) -> bool:
        found = ORIGIN.fullmatch(origin)
        try:
            return found is not None and self.is_known(*host_and_port(found[2]), found[1].lower())
        except ValueError:
            return False

    def is_known(self, host: str, port: int | None, scheme: str) -> bool:
        """Whether a host is this machine, or the public one with its port."""
        if is_loopback(host):
            return True
        return (scheme, host, port or PORTS[scheme]) == (self.scheme, self.host, self.port)


def is_loopback(host: str) -> bool:
    """Whether a host, in the spelling of `host_and_port`, is this machine."""
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        return host == "localhost"
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def media_type_of(value: str) -> str:
    """Return the media type of a Content-Type in its one spelling, without parameters (RFC 9110, 8.3.1)."""
    return value.partition(";")[0].strip(" \t").lower()


def in_one_spelling(scope: Scope) -> Scope:
    """Return a scope that was checked, in the only spelling of it that the SDK reads."""
    headers = Headers(scope=scope)
    others = [(name, value) for name, value in headers.raw if name not in (b"accept", b"content-type")]
    accepted = ",".join(headers.getlist("Accept")).encode("latin-1")
    return {**scope, "headers": [*others, (b"accept", accepted), (b"content-type", JSON.encode())]}
