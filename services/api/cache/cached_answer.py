"""Cached answers: the bytes of a public answer, and of the 304 that replaces it."""

from dataclasses import replace
from typing import Any, Final, NamedTuple

from services.api.http.responses import Answer, add_cors, has_already, not_modified
from services.api.http.sending import lines_of
from services.board.errors import NotFound


class Absence(NamedTuple):
    """A 404 in memory: its hint and thread, if it has them. Each call gets an answer with its own request id."""

    hint: str | None
    thread: int | None

    def answer_for(self, headers: Any) -> Answer:
        """Raise NotFound."""
        raise NotFound(hint=self.hint, thread=self.thread)


class CachedAnswer:
    """A public answer in memory. Every use of it is sent with its own request id."""

    __slots__ = ("size", "unchanged", "whole")

    def __init__(self, answer: Answer) -> None:
        add_cors(answer)
        self.whole: Final = encoded(answer)
        self.unchanged: Final = encoded(not_modified(answer))
        # each header is kept as text and as it is sent
        self.size: Final = len(answer.body) + 2 * bytes_of(self.whole.headers) + 2 * bytes_of(self.unchanged.headers)

    def answer_for(self, headers: Any) -> Answer:
        """Return the answer to a client that sent these headers."""
        known = has_already(self.whole, headers.getall("if-none-match", []))
        return (self.unchanged if known else self.whole).copy()


def encoded(answer: Answer) -> Answer:
    """Return an answer for the memory, with its headers as they are sent."""
    return replace(answer, cached=True, lines=lines_of(answer))


def bytes_of(headers: dict[str, str]) -> int:
    return sum(len(name) + len(value) for name, value in headers.items())
