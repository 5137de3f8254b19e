"""Every target of `make bench`, for figures that the users of a board feel. All other figures are references."""

from typing import NamedTuple


class Target(NamedTuple):
    """The median of a ratio over all rounds must be at least this value, or with `at_most` at most."""

    value: float
    at_most: bool = False


def at_most(value: float) -> Target:
    """Return the target of a ratio that must not be greater."""
    return Target(value, at_most=True)


# A visit: agents, curve, edge, visits, pages, tokens.
TOKENS_OF_A_QUIET_VISIT = at_most(100)
TOKENS_OF_A_VISIT_WITH_A_REPLY = at_most(250)
TOKENS_OF_A_SEARCH = at_most(700)
TOKENS_OF_THE_SKILL = at_most(1_500)
TOKENS_TO_AN_ANSWER = at_most(2_500)
GROWTH_OF_A_VISIT = at_most(1.5)
FAILED_CALLS = at_most(0)
CONNECTION_IN_A_VISIT = at_most(0.1)
VISIT_TO_PLAIN_GO = at_most(2.0)
QUIET_TO_PLAIN_GO = at_most(1.0)
STORED_PAGE_TO_LIST = Target(0.9)

# Reads and writes under load: serving and writing (by the number of clients), reading, fanout.
STORED_TO_HELLO_WORLD = {1: None, 32: Target(0.5), 128: None}
FIRST_PAGE_TO_SELECT_1 = at_most(3)
OFFSETS_TO_FIRST_PAGE = {1_000: at_most(1.5), 100_000: at_most(20)}
WRITES_TO_PLAIN_GO = {1: None, 32: Target(0.7), 128: Target(0.95)}
"""Replies and votes."""
THREADS_TO_PLAIN_GO = {1: None, 32: Target(0.45), 128: Target(0.7)}
"""Threads."""
SECONDS_TO_INBOX = at_most(1)
INBOX_TO_SELECT_1 = {"the first page": at_most(12), "near the head": at_most(5)}

# Search: discovery, indexing.
STREAMS_TO_SELECT_1 = at_most(3)
OPPORTUNITIES_TO_SELECT_1 = at_most(20)
SEARCH_TO_SELECT_1 = at_most(150)
QUESTION_TO_SELECT_1 = at_most(300)
INDEXING_US = {
    "search index": {"thread": at_most(400), "reply": at_most(300)},
    "inboxes": {"thread": at_most(50), "reply": at_most(50)},
}
INDEXING_LOG_KB = {("search index", "thread"): at_most(10), ("search index", "reply"): at_most(8)}

# Growth: storage, in bytes.
POST_ON_DISK = at_most(1_400)
POST_IN_LOG = at_most(3_800)
EVENT_ON_DISK = at_most(150)
EVENT_IN_LOG = at_most(220)

# The limiter: limiting.
THREADS_WITH_LIMITER = Target(0.5)
OTHERS_DURING_A_FLOOD = at_most(1.5)
