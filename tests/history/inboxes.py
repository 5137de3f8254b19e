"""The judge of inboxes: an inbox has exactly the posts of the log for which its agent's subscription was active."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from tests.history.record import Call, numbered, posts_in

BEGINS = ("subscribe", "resume")
CHANGES = (*BEGINS, "pause")


class Published(NamedTuple):
    """A post of the log, and the times between which it was committed. A reply has no community."""

    id: int
    author: str
    community: str
    sent: float
    shown: float


class Spans:
    """When a subscription was certainly active, and when it may have been, as pairs of times."""

    def __init__(self, changes: Sequence[Call]) -> None:
        self.certain: list[tuple[float, float]] = []
        self.possible: list[tuple[float, float]] = []
        certain, possible = math.nan, math.nan
        for call in changes:
            ended = math.inf if call.ended is None or call.outcome == "unknown" else call.ended
            if call.does in BEGINS and call.outcome != "refused":
                certain = ended if math.isnan(certain) and ended < math.inf else certain
                possible = call.invoked if math.isnan(possible) else possible
            elif call.does == "pause" and call.outcome != "refused":
                self.certain.append((certain, call.invoked))
                certain = math.nan
                if ended < math.inf:
                    self.possible.append((possible, ended))
                    possible = math.nan
        self.certain.append((certain, math.inf))
        self.possible.append((possible, math.inf))

    def certainly(self, post: Published) -> bool:
        return any(begin < post.sent and post.shown < end for begin, end in self.certain)

    def possibly(self, post: Published) -> bool:
        return any(begin <= post.shown and post.sent <= end for begin, end in self.possible)


def inboxes_are_right(calls: Sequence[Call]) -> Iterator[str]:
    """Each reader of an inbox saw each event once, in order, and none that is not one; so did it at a last reading."""
    posts = published(calls)
    changes: dict[str, list[Call]] = defaultdict(list)
    pages: dict[tuple[str, bool], list[Call]] = defaultdict(list)
    for call in calls:
        if call.does in CHANGES:
            changes[call.process].append(call)
        elif call.does == "list_inbox" and call.outcome == "ok":
            pages[call.process, call.sent["last"]].append(call)
    for (process, _), read in pages.items():
        yield from (f"the inbox of {process} {what}" for what in wrong_inbox(process, changes[process], read, posts))


def published(calls: Sequence[Call]) -> list[Published]:
    """Return the posts of the log that this history has sent, in their order."""
    *_, read = [call for call in calls if call.does == "read_log"]
    numbers = {number: post for post, number, *_ in read.seen["rows"] if number is not None}
    shown: dict[int, float] = {}
    for call in sorted((call for call in calls if call.ended is not None), key=lambda call: call.ended or 0.0):
        for post in posts_in(call):
            shown.setdefault(post.id, call.ended or math.inf)
    first: dict[int, Call] = {}
    for number, call in numbered(calls, "create_thread", "create_reply"):
        first.setdefault(number, call)
    found = [
        Published(
            numbers[n], call.sent["author"], call.sent["community"], call.invoked, shown.get(numbers[n], math.inf)
        )
        for n, call in first.items()
        if n in numbers
    ]
    return sorted(found)


def wrong_inbox(
    process: str, changes: Sequence[Call], pages: Sequence[Call], posts: Sequence[Published]
) -> Iterator[str]:
    """Return the faults of one inbox. Only at the last reading must it have the last posts."""
    events = [event for page in pages for event, _ in page.seen["events"]]
    if any(later <= earlier for earlier, later in pairwise(events)):
        yield f"is not in order: {[pair for pair in pairwise(events) if pair[1] <= pair[0]]}"
    spans = Spans(changes)
    community = next((call.sent["community"] for call in changes if call.does == "subscribe"), "")
    due = [post for post in posts if post.community == community and post.author != process]
    reached = math.inf if pages[0].sent["last"] else events[-1] if events else 0
    possible = {post.id for post in due if spans.possibly(post)}
    certain = {post.id for post in due if spans.certainly(post) and post.id <= reached}
    if extra := sorted((set(events) & {post.id for post in posts}) - possible):
        yield f"has the events {extra[:5]}, which are none"
    if missing := sorted(certain - set(events)):
        yield f"lacks the events {missing[:5]}"
