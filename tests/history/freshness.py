"""The judge of reads: each shows everything that was answered before it began, on every replica."""

import math
import re
from bisect import insort
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from tests.history.record import Call, posts_in

PLACE = re.compile(r"/(?:api/(?:posts|threads)|t)(?:/|\?ids=)([\d,]+)")
AFTER = re.compile(r"[?&]after=(\d+)")
# the second line of a checkpoint
SIZE = re.compile(r".*\n(\d+)\n")
# the calls that show the posts of their path
SHOWING = ("read_post", "read_thread", "show_thread", "read_receipt", "list_posts")
OPEN = "open threads"
SIGNED = ("read_checkpoint", "read_receipt")


class Bound(NamedTuple):
    """The least that the answer to a call must have: the id of a post, a number, and the post that was asked for.

    `there` are the numbers of the posts in its path that were answered before; `signed` is the size of the tree.
    """

    newest: int
    number: float
    shows: bool
    there: list[int]
    signed: int


class Known:
    """All answers up to a moment of the history."""

    def __init__(self) -> None:
        self.newest: dict[str, int] = defaultdict(int)
        self.counts: dict[str, float] = defaultdict(float)
        self.ids: dict[int, int] = {}
        self.numbers: dict[int, int] = {}
        self.withdrawn: set[int] = set()
        self.threads: list[int] = []
        self.replied: set[int] = set()

    def bound(self, call: Call) -> Bound:
        """Return the bound of a call that begins now."""
        if call.does in ("hide", "erase"):
            self.withdrawn.add(call.sent["number"])
        if call.does == "create_reply":
            self.replied.add(call.sent.get("thread", 0))
        of = call.sent.get("of", "")
        count = self.newest["posts"] if of == "newest" else min(self.counts[of], call.sent.get("most", math.inf))
        kind = "posts" if call.does == "list_activity" else call.sent.get("newest", "")
        newest = self.open_thread() if kind == OPEN else self.newest[kind]
        place = PLACE.match(call.sent.get("path", ""))
        asked = map(int, place[1].split(",")) if place else ()
        there = [self.numbers[post] for post in asked if post in self.numbers]
        return Bound(newest, count, call.sent.get("shows") in self.ids, there, self.newest["signed"])

    def open_thread(self) -> int:
        """Return the newest thread to which no reply was sent, 0 without one."""
        while self.threads and self.threads[-1] in self.replied:
            self.threads.pop()
        return self.threads[-1] if self.threads else 0

    def learn(self, call: Call) -> None:
        """Take in an answer."""
        posts = posts_in(call)
        self.newest["posts"] = max([self.newest["posts"], *(post.id for post in posts)])
        self.newest["signed"] = max(self.newest["signed"], signed_size(call))
        number = call.sent.get("number")
        if call.does == "read_stats" and call.status == 200 and not self.ids:
            self.counts["visible"] = number_in(call)  # the posts of earlier histories on this board
        if call.does == "edit" and call.status == 200:
            self.counts[f"version of {call.process}"] = call.sent["version"]
        if call.does == "register" and call.status == 201 and call.sent["stays"]:
            self.counts["registered"] = max(self.counts["registered"], call.seen["registered"])
        if call.status != 201 or number is None or number in self.ids:
            return
        self.ids[number] = post = int(call.seen["id"])
        self.numbers[post] = number
        if not call.sent.get("victim"):
            self.counts["moment"] = max(self.counts["moment"], call.seen["created"])
        if "threads" in kinds_of(call):
            insort(self.threads, post)
        for kind in kinds_of(call):
            self.newest[kind] = max(self.newest[kind], post)
            self.counts[kind] += 1

    def newest_in(self, call: Call) -> float:
        """Return the id of the newest post in an answer; words that nothing has answered yet are newer than all."""
        words = [self.ids.get(number, math.inf) for number in call.seen.get("words", ())]
        return max([0, *(post.id for post in posts_in(call)), *words])


def kinds_of(call: Call) -> list[str]:
    """Return the lists and counts in which a new post appears for good."""
    author, community, thread = (call.sent.get(name) for name in ("author", "community", "thread"))
    if call.sent.get("victim"):
        return []
    if thread:
        return ["visible", f"by {author}", f"under {thread}"]
    return ["visible", "threads", f"by {author}", f"threads by {author}", f"in {community}"]


def is_fresh(calls: Sequence[Call]) -> Iterator[str]:
    """Each call finds what was answered before it began, and each page of the log is a part of it without gaps."""
    known, bounds = Known(), {}
    for ends, place in moments(calls):
        call = calls[place]
        if not ends:
            bounds[place] = known.bound(call)
            continue
        if call.status in (200, 404):
            yield from (f"{call.sent.get('path')} {what}" for what in stale(call, bounds[place], known))
        known.learn(call)


def moments(calls: Sequence[Call]) -> list[tuple[bool, int]]:
    """Return the beginnings and ends of the calls in the order of time, as the places of the calls."""
    begins = [(call.invoked, False, place) for place, call in enumerate(calls)]
    ends = [(call.ended, True, place) for place, call in enumerate(calls) if call.ended is not None]
    return [(is_end, place) for _, is_end, place in sorted([*begins, *ends])]


def stale(call: Call, bound: Bound, known: Known) -> Iterator[str]:
    """Return the sentences about an answer that lacks something."""
    shows = call.sent.get("shows")
    if (
        bound.shows
        and shows not in call.seen["words"]
        and shows not in known.withdrawn
        and not call.seen.get("incomplete")
    ):
        yield f"did not show post {shows}, which had been answered"
    yield from lacks_its_post(call, bound, known)
    if call.does in SIGNED and is_older(call, bound.signed):
        yield f"had a tree of {signed_size(call)} entries when one of {bound.signed} had been answered"
    if call.status != 200:
        return
    after = AFTER.search(call.sent.get("path", ""))
    if after and call.seen.get("has_more") and call.seen.get("next_after", 0) <= int(after[1]):
        yield "has more and does not lead on"
    is_open = call.sent.get("newest") != OPEN or bound.newest not in known.replied
    if "newest" in call.sent and is_open and known.newest_in(call) < bound.newest:
        yield f"showed {known.newest_in(call)} when {bound.newest} had been answered"
    if "count" in call.sent and number_in(call) < bound.number:
        yield f"had the number {number_in(call)} when {bound.number} had been answered"
    if call.does == "list_activity":
        yield from not_the_log(call, bound)


def lacks_its_post(call: Call, bound: Bound, known: Known) -> Iterator[str]:
    """Whether a post in the path of a call is not found, or not shown."""
    there = set(bound.there) - known.withdrawn
    if call.status == 404:
        yield from (f"was answered 404, and post {post} had been answered" for post in there)
    elif call.does in SHOWING:
        lost = there.difference(call.seen["words"])
        yield from (f"was answered without post {post}, which had been answered" for post in lost)


def signed_size(call: Call) -> int:
    """Return the number of entries of the checkpoint in an answer, 0 without one."""
    if call.does not in SIGNED or call.status != 200:
        return 0
    if call.does == "read_receipt":
        return int((call.seen.get("log") or {"size": 0})["size"])
    found = SIZE.match(str(call.seen.get("note")))
    return int(found[1]) if found else 0


def is_older(call: Call, signed: int) -> bool:
    """Return whether a checkpoint is older than one that was answered. A post that none covers has no proof yet."""
    size = signed_size(call)
    is_new = call.does == "read_receipt" and not size and call.seen.get("post_id", signed) >= signed
    return size < signed and not is_new


def number_in(call: Call) -> float:
    if call.does == "read_stats":
        return float(call.seen["threads"] + call.seen["replies"])
    if call.sent["count"] == "replies":
        return max((post.replies or 0 for post in posts_in(call)), default=0)
    if call.sent["count"] == "items":
        return len(posts_in(call))
    # a dashboard with more to read has the cursor of its page
    return math.inf if call.seen.get("has_more") else float(call.seen.get(call.sent["count"], 0))


def not_the_log(call: Call, bound: Bound) -> Iterator[str]:
    """Whether a page of the log has gaps or ends too early."""
    ids = [post.id for post in posts_in(call)]
    if "after" in call.sent:
        ids = [call.sent["after"], *ids]
    if any(later != earlier + 1 for earlier, later in pairwise(ids)):
        yield f"has gaps: {ids}"
    if not call.seen["has_more"] and "after" in call.sent and ids[-1] < bound.newest:
        yield f"ends with {ids[-1]} when {bound.newest} had been answered"
