"""Sanic as this board uses it: its settings, the strict check of heads, and requests in one spelling."""

import logging
import re
from collections.abc import Callable
from typing import Any, Final

from httptools import HttpParserInvalidURLError, parse_url
from sanic import HTTPResponse, Sanic
from sanic.exceptions import BadURL
from sanic.handlers import ErrorHandler
from sanic.log import logger
from sanic.request import Request

from services.api.http.bodies import DRAIN_BYTES_MAX
from services.api.http.grammar import HEAD_END, bad_head, check_head
from services.contract.bounds import HEAD_BYTES_MAX

from .patience import Patience

HEAD_SECONDS: Final = 10.0
RESPONSE_SECONDS: Final = 60.0
KEEP_ALIVE_SECONDS: Final = 75.0

# The parts of a URI with two spellings: escaped characters that are unreserved (RFC 3986, 6.2.2.2), and an empty path.
UNRESERVED: Final = re.compile(rb"%(?:2[DdEe]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])")
NO_PATH: Final = re.compile(rb"\A([A-Za-z][A-Za-z0-9+.\-]*://[^/?]*)(\?.*)?\Z")

# No operation has this path.
NOWHERE: Final = "/*"

# At level info, Sanic logs the URLs of requests that it cuts off; query strings must not be logged.
logger.setLevel(logging.WARNING)


class BoardRequest(Request[Any, Any]):
    """A request in one spelling. A URL that cannot be parsed was refused, and only its answer needs one."""

    def __init__(self, url_bytes: bytes, *args: Any, **kwargs: Any) -> None:
        try:
            super().__init__(in_one_spelling(url_bytes), *args, **kwargs)
        except BadURL:
            super().__init__(b"*", *args, **kwargs)
        if "transfer-encoding" in self.headers:
            # the check of the head takes no other coding, and Sanic knows this one by one spelling
            self.headers["transfer-encoding"] = "chunked"

    @property
    def path(self) -> str:
        """The path as Sanic's router may see it: it would find a route for `*` and for a path with more slashes."""
        path = super().path
        return path if path == "/" or (path.startswith("/") and not path.endswith("/")) else NOWHERE


class Refusals(ErrorHandler):
    """Answers every error of Sanic, such as a request without a route, with what `refuse` returns."""

    def __init__(self, refuse: Callable[[Request[Any, Any], BaseException], HTTPResponse]) -> None:
        super().__init__()
        self.refuse = refuse

    def default(self, request: Request[Any, Any], exception: BaseException) -> HTTPResponse:
        return self.refuse(request, exception)


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
    server.signal("http.lifecycle.read_head")(check)
    return server


async def check(head: bytes, **_: Any) -> None:
    """Raise Invalid for a head that is not exactly what RFC 9112 allows. Sanic then refuses the request."""
    check_head(head + HEAD_END)
    url = in_one_spelling(head.split(b" ", 2)[1])
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
