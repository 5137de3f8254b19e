"""Sanic as this board uses it: its documented settings, and the targets that its router cannot read."""

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

# URLs with a path that the router can read, and `*`.
TARGET: Final = re.compile(rb"/|\*\Z|[A-Za-z][A-Za-z0-9+.\-]*://[^/?]+/")

# No operation has this path.
NOWHERE: Final = "/*"

# At level info, Sanic logs the URLs of requests that it cuts off; query strings must not be logged.
logger.setLevel(logging.WARNING)


class BoardRequest(Request[Any, Any]):
    """A request whose path the router can read. Sanic makes one without a head to answer a head that it refuses."""

    def __init__(self, *, url_bytes: bytes, headers: Any, head: bytes = b"", **kwargs: Any) -> None:
        url = url_bytes if head else b"*"
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
