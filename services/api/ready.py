"""Answers that are ready to be sent: their bytes, and those of the 304 that stands for them."""

from typing import Final

from .responses import Answer, add_cors, has_already, not_modified
from .wire import head


class Ready:
    """A public answer in memory; each use of it has a request id of its own."""

    __slots__ = ("size", "unchanged", "whole")

    def __init__(self, answer: Answer) -> None:
        add_cors(answer)
        self.whole: Final = prepared(answer)
        self.unchanged: Final = prepared(not_modified(answer))
        self.size: Final = len(self.whole.body) + 2 * len(self.whole.head) + 2 * len(self.unchanged.head)

    def answer(self, if_none_match: list[str]) -> Answer:
        """The answer to a caller with this `If-None-Match`."""
        known = has_already(self.whole, if_none_match)
        source = self.unchanged if known else self.whole
        return Answer(source.status, source.body, source.headers, head=source.head)


def prepared(answer: Answer) -> Answer:
    answer.head = head(answer)
    return answer
