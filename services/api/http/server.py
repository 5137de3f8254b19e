"""Sanic as this board uses it: its documented settings, and requests in one spelling."""

import logging
import re
from typing import Any, Final

from sanic import Sanic
from sanic.exceptions import BadURL
from sanic.log import logger
from sanic.request import Request

from services.api.http.receiving import DRAIN_BYTES_MAX
from services.contract.bounds import HEAD_BYTES_MAX

HEAD_SECONDS: Final = 10
RESPONSE_SECONDS: Final = 60
KEEP_ALIVE_SECONDS: Final = 75
"""How long a connection may be idle, and how long a client may take to read an answer."""

# The parts of a URI with two spellings: escaped characters that are unreserved (RFC 3986, 6.2.2.2), and an empty path.
UNRESERVED: Final = re.compile(rb"%(?:2[DdEe]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])")
NO_PATH: Final = re.compile(rb"\A([A-Za-z][A-Za-z0-9+.\-]*://[^/?]*)(\?.*)?\Z")
# URLs with a path that the router can read, and `*`.
TARGET: Final = re.compile(rb"/|\*\Z|[A-Za-z][A-Za-z0-9+.\-]*://[^/?]+/")

# No operation has this path.
NOWHERE: Final = "/*"

# At level info, Sanic logs the URLs of requests that it cuts off; query strings must not be logged.
logger.setLevel(logging.WARNING)


class BoardRequest(Request[Any, Any]):
    """A request in one spelling. Sanic makes one without a head for the answer to a head that it refuses."""

    def __init__(self, *, url_bytes: bytes, headers: Any, head: bytes = b"", **kwargs: Any) -> None:
        url = in_one_spelling(url_bytes) if head else b"*"
        if not TARGET.match(url):
            raise BadURL("The target has no path.")
        super().__init__(url_bytes=url, headers=headers, head=head, **kwargs)
        if coding := self.headers.get("transfer-encoding"):
            self.headers["transfer-encoding"] = coding.lower()  # Sanic knows one spelling

    @property
    def path(self) -> str:
        """The path as Sanic's router may see it: it would find a route for `*` and for a path with more slashes."""
        path = super().path
        return path if path == "/" or (path.startswith("/") and not path.endswith("/")) else NOWHERE


def make_server() -> Sanic[Any, Any]:
    """Return a server without routes and without an access log. HAProxy bounds what strangers send (interface 2.4)."""
    server: Sanic[Any, Any] = Sanic(
        "agent-board", configure_logging=False, strict_slashes=True, request_class=BoardRequest
    )
    server.config.ACCESS_LOG = False
    server.config.REQUEST_MAX_SIZE = DRAIN_BYTES_MAX
    server.config.REQUEST_MAX_HEADER_SIZE = HEAD_BYTES_MAX
    server.config.REQUEST_TIMEOUT = HEAD_SECONDS
    server.config.RESPONSE_TIMEOUT = RESPONSE_SECONDS
    server.config.KEEP_ALIVE_TIMEOUT = KEEP_ALIVE_SECONDS
    return server


def in_one_spelling(url: bytes) -> bytes:
    """Return a URL with a path, in which no unreserved character is escaped."""
    if not url.startswith(b"/"):
        url = NO_PATH.sub(rb"\1/\2", url)
    path, mark, query = url.partition(b"?")
    return UNRESERVED.sub(unescaped, path) + mark + query if b"%" in path else url


def unescaped(escape: re.Match[bytes]) -> bytes:
    return bytes((int(escape[0][1:], 16),))
