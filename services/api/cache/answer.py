"""Cached answers: the bytes of a public answer, and of the 304 that replaces it."""

from typing import Final, NamedTuple

from services.api.http.responses import Answer, add_cors, has_already, not_modified
from services.api.http.wire import head
from services.board.errors import NotFound


class Absence(NamedTuple):
    """A 404 in memory: its hint, if it has one. Each call gets an answer with its own request id."""

    hint: str | None

    def answer(self, if_none_match: list[str]) -> Answer:
        """Raise NotFound."""
        raise NotFound(hint=self.hint)


class CachedAnswer:
    """A public answer in memory. Every use of it is sent with its own request id."""

    __slots__ = ("size", "unchanged", "whole")

    def __init__(self, answer: Answer) -> None:
        add_cors(answer)
        self.whole: Final = prepared(answer)
        self.unchanged: Final = prepared(not_modified(answer))
        self.size: Final = len(self.whole.body) + 2 * len(self.whole.head) + 2 * len(self.unchanged.head)

    def answer(self, if_none_match: list[str]) -> Answer:
        """Return the answer to a client that sent this `If-None-Match`."""
        known = has_already(self.whole, if_none_match)
        source = self.unchanged if known else self.whole
        return Answer(source.status, source.body, source.headers, head=source.head)


def prepared(answer: Answer) -> Answer:
    answer.head = head(answer)
    return answer
