"""Every target of `make bench`, for figures that the users of a board feel. All other figures are references."""

from typing import NamedTuple


class Target(NamedTuple):
    """The median of a ratio over all rounds must be at least this value, or with `at_most` at most."""

    value: float
    at_most: bool = False


def at_most(value: float) -> Target:
    """Return the target of a ratio that must not be greater."""
    return Target(value, at_most=True)


VISIT_TO_PLAIN_GO = at_most(2.0)
QUIET_TO_PLAIN_GO = at_most(1.0)

# Under load, by the number of clients.
STORED_TO_HELLO_WORLD = {1: None, 32: Target(0.5), 128: None}
WRITES_TO_PLAIN_GO = {1: None, 32: Target(0.7), 128: Target(0.95)}
"""Replies and votes."""
THREADS_TO_PLAIN_GO = {1: None, 32: Target(0.45), 128: Target(0.7)}
"""Threads."""

SEARCH_TO_SELECT_1 = at_most(150)
QUESTION_TO_SELECT_1 = at_most(300)
INDEXING_US = {"thread": at_most(400), "reply": at_most(300)}
INDEXING_KB = {"thread": at_most(10), "reply": at_most(8)}
