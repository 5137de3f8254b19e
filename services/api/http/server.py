"""Sanic as this board uses it: settings, the strict check of heads, requests in one spelling, and waits for clients."""

import asyncio
import logging
import re
from contextlib import suppress
from typing import Any, Final
from weakref import WeakSet

from httptools import HttpParserInvalidURLError, parse_url
from sanic import Sanic
from sanic.exceptions import BadURL
from sanic.log import logger
from sanic.request import Request

from services.api.http.arriving import Arriving
from services.api.http.grammar import HEAD_END, bad_head, check_head
from services.api.http.receiving import DRAIN_BYTES_MAX
from services.contract.bounds import HEAD_BYTES_MAX
from services.process.http_fields import fields_of

HEAD_SECONDS: Final = 10.0
RESPONSE_SECONDS: Final = 60.0
KEEP_ALIVE_SECONDS: Final = 75.0
STOP_SECONDS: Final = 2.0
"""How long a stopping process waits for a client, instead of the usual seconds."""

# The parts of a URI with two spellings: escaped characters that are unreserved (RFC 3986, 6.2.2.2), and an empty path.
UNRESERVED: Final = re.compile(rb"%(?:2[DdEe]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])")
NO_PATH: Final = re.compile(rb"\A([A-Za-z][A-Za-z0-9+.\-]*://[^/?]*)(\?.*)?\Z")

# No operation has this path.
NOWHERE: Final = "/*"

# At level info, Sanic logs the URLs of requests that it cuts off; query strings must not be logged.
logger.setLevel(logging.WARNING)


class BoardRequest(Request[Any, Any]):
    """A request in one spelling, with a head that is exactly what RFC 9112 allows.

    Sanic makes one without a head for the answer to a head that was refused, whose URL may be no URL.
    """

    def __init__(self, *, url_bytes: bytes, headers: Any, head: bytes = b"", **kwargs: Any) -> None:
        url = in_one_spelling(url_bytes)
        if head:
            check_head(head + HEAD_END)
            check_url(url)
        headers = fields_of(head, headers)
        try:
            super().__init__(url_bytes=url, headers=headers, head=head, **kwargs)
        except BadURL:
            if head:
                raise bad_head() from None
            super().__init__(url_bytes=b"*", headers=headers, **kwargs)
        if "transfer-encoding" in self.headers:
            # the check of the head takes no other coding, and Sanic knows this one by one spelling
            self.headers["transfer-encoding"] = "chunked"
        if self.version == "1.0":
            # a client of HTTP/1.0 would take the interim response for the answer (RFC 9110, 10.1.1)
            self.headers.popall("expect", None)

    @property
    def path(self) -> str:
        """The path as Sanic's router may see it: it would find a route for `*` and for a path with more slashes."""
        path = super().path
        return path if path == "/" or (path.startswith("/") and not path.endswith("/")) else NOWHERE


class Patience:
    """Limits the waits for clients: to less once the process stops."""

    def __init__(self) -> None:
        self.ends = False
        self.waits: WeakSet[asyncio.Timeout] = WeakSet()

    def wait(self, seconds: float) -> asyncio.Timeout:
        """Return the limit of a wait for a client: `seconds`, or 2 s in a process that stops. Raises TimeoutError."""
        limit = asyncio.timeout(min(seconds, STOP_SECONDS) if self.ends else seconds)
        self.waits.add(limit)
        return limit

    def end(self) -> None:
        """End all present waits in 2 s, because the process stops."""
        self.ends = True
        soon = asyncio.get_running_loop().time() + STOP_SECONDS
        for limit in self.waits:
            with suppress(RuntimeError):  # it is over
                limit.reschedule(min(limit.when() or soon, soon))


def make_server() -> Sanic[Any, Any]:
    """Return a server without routes. It has no access log, and its deadlines are those of the interface (2.4)."""
    server: Sanic[Any, Any] = Sanic(
        "agent-board", configure_logging=False, strict_slashes=True, request_class=BoardRequest
    )
    server.config.ACCESS_LOG = False
    server.config.REQUEST_MAX_SIZE = DRAIN_BYTES_MAX
    server.config.REQUEST_MAX_HEADER_SIZE = HEAD_BYTES_MAX
    server.config.REQUEST_TIMEOUT = HEAD_SECONDS
    server.config.RESPONSE_TIMEOUT = RESPONSE_SECONDS
    server.config.KEEP_ALIVE_TIMEOUT = KEEP_ALIVE_SECONDS
    server.ctx.patience = Patience()
    server.ctx.arriving = Arriving()
    return server


def check_url(url: bytes) -> None:
    """Raise Invalid for a target without a path."""
    if url.startswith(b"/"):
        return
    try:
        parsed = parse_url(url)
    except HttpParserInvalidURLError:
        raise bad_head() from None
    if not parsed.path:
        raise bad_head()


def in_one_spelling(url: bytes) -> bytes:
    """Return a URL with a path, in which no unreserved character is escaped."""
    if not url.startswith(b"/"):
        url = NO_PATH.sub(rb"\1/\2", url)
    path, mark, query = url.partition(b"?")
    return UNRESERVED.sub(unescaped, path) + mark + query if b"%" in path else url


def unescaped(escape: re.Match[bytes]) -> bytes:
    return bytes((int(escape[0][1:], 16),))
