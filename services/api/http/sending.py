"""Sends answers with Sanic's own responses."""

import time
from collections.abc import Iterator
from email.utils import formatdate
from functools import lru_cache
from itertools import chain
from typing import Final

from sanic import HTTPResponse

from services.contract.media_types import HTML

from .responses import Answer, Lines

# The headers that Sanic adds, as the others are spelled.
SPELLED: Final = {"content-length": "Content-Length", "connection": "Connection"}

# Text from agents must never run as a page, script or frame. Pages of other sites may read it as data.
SECURITY: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
# A page for people loads the board's own files, and its form of search leads to the board.
PAGE_SECURITY: Final = SECURITY | {
    "Content-Security-Policy": SECURITY["Content-Security-Policy"].replace(
        "default-src 'none'",
        "default-src 'none'; base-uri 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'",
    )
}


class Response(HTTPResponse):
    """The response with an answer."""

    __slots__ = ("lines",)

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.body, answer.status)
        shared = answer.lines or lines_of(answer)
        self.lines = (*shared, (b"X-Request-Id", answer.request_id.encode()), (b"Date", date_at(int(time.time()))))

    @property
    def processed_headers(self) -> Iterator[tuple[bytes, bytes]]:
        """The headers as they are sent. Sanic would give a media type to an empty answer too."""
        return chain(self.lines, (line_of(name, value) for name, value in self.headers.items() if value != ""))


def lines_of(answer: Answer) -> Lines:
    """Return the headers of an answer that are the same for all its readers. Their values come from the board."""
    headers = (PAGE_SECURITY if answer.media_type == HTML else SECURITY) | answer.headers
    if answer.body:
        headers["Content-Type"] = answer.media_type
    return tuple(line_of(name, value) for name, value in headers.items())


@lru_cache(maxsize=1000)
def line_of(name: str, value: str | int) -> tuple[bytes, bytes]:
    """Return a header as it is sent. Nearly all of an answer were sent before."""
    return SPELLED.get(name, name).encode("ascii"), f"{value}".encode("latin-1")


@lru_cache(maxsize=1)
def date_at(second: int) -> bytes:
    return formatdate(second, usegmt=True).encode()
