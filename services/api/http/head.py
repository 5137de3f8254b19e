"""The head of a request, parsed.

It sets a private attribute of Sanic's request, so the version is pinned (tests/api/test_wire.py).
"""

from typing import Any, Final, NamedTuple

from httptools import HttpParserInvalidURLError, parse_url
from sanic.compat import Header
from sanic.request import Request

from .grammar import bad_head

HEAD_END: Final = b"\r\n\r\n"
WHITE_SPACE: Final = " \t"


class Head(NamedTuple):
    """The head of a request. Requests with the same head share the headers: never change them."""

    raw_url: bytes
    parsed_url: Any
    headers: Header
    version: str
    method: str
    keep_alive: bool

    @classmethod
    def parse(cls, head: bytes) -> "Head":
        """Parse a head that was checked. Raises Invalid for a malformed URL."""
        line, *fields = head[: -len(HEAD_END)].decode(errors="surrogateescape").split("\r\n")
        method, url, protocol = line.split(" ")
        headers = Header(
            [(name, value.strip(WHITE_SPACE)) for name, _, value in [field.partition(":") for field in fields]]
        )
        keep_alive = [value.lower() == "keep-alive" for value in headers.getall("connection", ())]
        try:
            parsed_url = parse_url(url.encode())
        except HttpParserInvalidURLError:
            raise bad_head() from None
        is_kept = keep_alive[-1] if keep_alive else protocol == "HTTP/1.1"
        return cls(url.encode(), parsed_url, headers, protocol[5:], method, is_kept)

    def request(self, protocol: Any) -> "HeadRequest":
        """Return a new request with this head, on a connection."""
        request = HeadRequest.__new__(HeadRequest)
        request.raw_url, request.parsed_url, request.headers, request.version, request.method, _ = self
        request._parsed_url = request.parsed_url  # noqa: SLF001 - Sanic reads it for `path` and `query_string`
        request.app, request.transport = protocol.app, protocol.transport
        request.parsed_forwarded = {}  # read for the URL of a request that a stopping process cuts off
        return request


class HeadRequest(Request):
    """Sanic's request with only the attributes that are used here: its own parsing prepares much more."""

    __slots__ = ("parsed_url",)
    parsed_url: Any
