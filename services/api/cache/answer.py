"""Cached answers: the bytes of a public answer, and of the 304 that replaces it."""

from typing import Any, Final, NamedTuple

from services.api.http.encodings import gzipped, takes_gzip
from services.api.http.responses import Answer, add_cors, has_already, not_modified
from services.api.http.wire import head
from services.board.errors import NotFound


class Absence(NamedTuple):
    """A 404 in memory: its hint and thread, if it has them. Each call gets an answer with its own request id."""

    hint: str | None
    thread: int | None

    def answer(self, headers: Any) -> Answer:
        """Raise NotFound."""
        raise NotFound(hint=self.hint, thread=self.thread)


class CachedAnswer:
    """A public answer in memory. Every use of it is sent with its own request id.

    `compressed` is the gzip form of its body, if it has one.
    """

    __slots__ = ("gzipped", "size", "unchanged", "whole")

    def __init__(self, answer: Answer, compressed: bytes | None = None) -> None:
        self.gzipped: Final = CachedAnswer(gzipped(answer, compressed)) if compressed else None
        add_cors(answer)
        self.whole: Final = prepared(answer)
        self.unchanged: Final = prepared(not_modified(answer))
        own_size = len(self.whole.body) + 2 * len(self.whole.head) + 2 * len(self.unchanged.head)
        self.size: int = own_size + (self.gzipped.size if self.gzipped else 0)

    def answer(self, headers: Any) -> Answer:
        """Return the answer to a client that sent these headers."""
        coded = self.gzipped is not None and takes_gzip(headers.getall("accept-encoding", []))
        source = self.form(coded, headers.getall("if-none-match", []))
        return Answer(source.status, source.body, source.headers, head=source.head)

    def form(self, gzip: bool, if_none_match: list[str]) -> Answer:
        """Return the form of the answer for a client that takes gzip and has these tags: shared, so never change it."""
        cached = self.gzipped if gzip and self.gzipped is not None else self
        return cached.unchanged if has_already(cached.whole, if_none_match) else cached.whole


def prepared(answer: Answer) -> Answer:
    answer.head = head(answer)
    return answer
