"""Each judge finds what is wrong in a small history, and nothing in the right one."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from agent_board_client.merkle_tree import leaf_hash, node_hash
from agent_board_client.receipt_log import posted
from services.board.verifiable_log.signing import Signer, make_key
from tests.history.callers import Reply, Unanswered
from tests.history.judges import judged
from tests.history.record import Call, History, SeenPost
from tests.operations.hand import SIGNER

Calls = dict[str, Call]
Change = Callable[[Calls], object]
DIGESTS = ["1" * 64, "2" * 64, "3" * 64, "4" * 64]
LEAVES = [leaf_hash(entry) for entry in (b"begin 1\n", posted(1, DIGESTS[0]), posted(2, DIGESTS[1]))]
ROOT = node_hash(node_hash(LEAVES[0], LEAVES[1]), LEAVES[2])


NEWEST_OPEN = {"newest": "open threads"}
HOME = {"count": "next_after", "of": "newest"}
SEARCH = {"path": "/api/search?q=2", "shows": 2, "late": True}
POPULAR = {"count": "items", "of": "threads", "most": 2}


def created(number: int) -> float:
    """Return the time of a post: the last one is published when the first ones no longer count."""
    return number if number < 5 else 70.0 + number


def call(
    does: str, at: float, sent: dict[str, Any], seen: dict[str, Any], status: int = 200, process: str = "anna"
) -> Call:
    """Return a call that takes half a second."""
    outcome = "ok" if status < 400 else "refused"
    return Call(process, does, sent, at, at + 0.5, outcome, status, seen=seen)


def post(number: int, at: float, status: int = 201, **more: Any) -> Call:
    """Return the call of a new thread, whose id is its number."""
    sent = {"number": number, "author": "anna", "community": "general", "thread": 0, **more}
    return call(
        "create_thread",
        at,
        sent,
        page(number) | {"id": number, "created": created(number)} if status == 201 else {},
        status,
    )


def page(*numbers: int, has_more: bool = False) -> dict[str, Any]:
    """Return what is seen of a page with posts."""
    posts = [[number, created(number), number, 0, 0] for number in numbers]
    return {"words": list(numbers), "posts": posts, "has_more": has_more}


def log(*numbers: int, at: float = 99) -> Call:
    return call("read_log", at, {}, {"rows": [[number, number, "anna", created(number)] for number in numbers]})


def checkpoint(root: bytes = ROOT, signer: Signer = SIGNER, size: int = 3, at: float = 9) -> Call:
    return call("read_checkpoint", at, {}, {"note": signer.sign(1, size, root)})


def entries(*digests: str) -> list[list[Any]]:
    return [[0, "begin 1\n"], *([post, digest] for post, digest in enumerate(digests, 1))]


def inbox(*events: int) -> Call:
    seen = {"events": [[event, None] for event in events]}
    return call("list_inbox", 90, {"after": 0, "last": True}, seen, process="bert")


def right() -> Calls:
    """A right history of five posts, by the names that the changes use: anna publishes, bert follows general."""
    return {
        "begin": call("begin", 0, {"quota": 4, "window": 60, "wall": 0, "log_key": SIGNER.verifier_key(1)}, {}),
        "subscribe": call("subscribe", 1, {"community": "general"}, {"id": 7}, 201, "bert"),
        "earlier": call("read_stats", 1, {}, {"threads": 6, "replies": 4}),
        "first": post(1, 2),
        "second": post(2, 4),
        "lost": Call("anna", "create_thread", post(3, 0).sent, 6.0, 6.5),
        "again": post(3, 7),
        "activity": call("list_activity", 9, {"after": 0}, page(1, 2, 3)),
        "shown": call("read_post", 9, {"shows": 2}, page(2)),
        "newest": call("list_threads", 9, {"newest": "threads"}, page(3)),
        "stats": call("read_stats", 9, {"count": "posts", "of": "visible"}, {"threads": 9, "replies": 4}),
        "open": call("list_opportunities", 9, NEWEST_OPEN, page(3)),
        "answered": call("create_reply", 17, {"thread": 3}, {}, 429),
        "open later": call("read_start", 18, NEWEST_OPEN, page(2)),
        "popular": call("list_threads", 9, POPULAR, page(1, 2)),
        "home": call("read_home", 9, {"path": "/api/home?after=0", **HOME}, {"has_more": True, "next_after": 2}),
        "search begins": call("search_board", 8, SEARCH, {"words": [], "incomplete": True}),
        "search": call("search_board", 9, SEARCH, {"words": [2], "incomplete": False}),
        "edit": call("edit", 5, {"version": 2}, {}),
        "profile": call("read_agent", 9, {"count": "version", "of": "version of anna"}, {"words": [], "version": 2}),
        "active": call("list_threads", 9, {"count": "activity", "of": "moment"}, {"words": [], "activity": 3.0}),
        "checkpoint": checkpoint(),
        "limited": post(9, 12, 429),
        "victim": post(4, 10, victim=True),
        "withdrawn": call("hide", 14, {"number": 4}, {}),
        "read": call("read_withdrawn", 16, {"path": "/api/posts/4"}, {"words": []}, 404),
        "pause": call("pause", 20, {}, {}, process="bert"),
        "late": post(5, 75),
        "inbox": inbox(1, 2, 3, 4),
        "log": log(1, 2, 3, 4, 5),
        "entries": call("read_entries", 99, {}, {"entries": entries(*DIGESTS, "5" * 64)}),
    }


def verdict(calls: Calls) -> list[str]:
    """Return the judges that find something in a history."""
    return list(judged(sorted(calls.values(), key=lambda each: each.invoked)))


def test_the_right_history_breaks_no_promise() -> None:
    assert judged(sorted(right().values(), key=lambda each: each.invoked)) == {}


WRONG: dict[str, tuple[str, Change]] = {
    "an acknowledged post is not in the log": ("once", lambda calls: calls.update(log=log(1, 2, 3, 4))),
    "a post is in the log twice": ("once", lambda calls: calls.update(log=again_in_log(3))),
    "a refused post is in the log": ("once", lambda calls: calls.update(first=post(1, 2, 503))),
    "a post has another author": ("once", lambda calls: calls["log"].seen["rows"][1].__setitem__(2, "bert")),
    "two attempts have two ids": ("once", lambda calls: calls["again"].seen.update(id=4)),
    "a later post has a lower id": ("order", lambda calls: set_times(calls["first"], 5, 5.5)),
    "an id is left out": ("order", lambda calls: calls.update(log=log(1, 2, 3, 4, 6))),
    "a post is not shown": ("fresh", lambda calls: calls["shown"].seen.update(words=[])),
    "a thread is not found": ("fresh", lambda calls: calls.update(lost=absent("read_thread", "/api/threads/2"))),
    "a page is not found": ("fresh", lambda calls: calls.update(lost=absent("show_thread", "/t/2"))),
    "a vote finds no post": ("fresh", lambda calls: calls.update(lost=absent("vote", "/api/posts/2/vote"))),
    "an older list is shown": ("fresh", lambda calls: calls["newest"].seen.update(page(2))),
    "a count is too low": ("fresh", lambda calls: calls["stats"].seen.update(threads=8)),
    "a profile is too old": ("fresh", lambda calls: calls["profile"].seen.update(version=1)),
    "a list is not active enough": ("fresh", lambda calls: calls["active"].seen.update(activity=2.0)),
    "a page of a thread is empty": ("fresh", lambda calls: calls.update(page=empty("show_thread", path="/t/2"))),
    "a list of open threads is empty": ("fresh", lambda calls: calls.update(open=empty("read_start", **NEWEST_OPEN))),
    "a list of open threads is older": ("fresh", lambda calls: calls["open"].seen.update(page(2))),
    "a list is empty": ("fresh", lambda calls: calls.update(popular=empty("list_threads", **POPULAR))),
    "a page leads nowhere": ("fresh", lambda calls: calls["home"].seen.update(next_after=0)),
    "the log ends too early": ("fresh", lambda calls: calls["activity"].seen.update(page(1, 2))),
    "the log has a gap": ("fresh", lambda calls: calls["activity"].seen.update(page(1, 3))),
    "a page of the log begins too late": ("fresh", lambda calls: calls["activity"].seen.update(page(2, 3))),
    "an id has two times": ("content", lambda calls: calls["shown"].seen.update(posts=[[2, 2.5, 2, 0, 0]])),
    "an id has two texts": ("content", lambda calls: calls["shown"].seen.update(posts=[[2, 2.0, 7, 0, 0]])),
    "a lost post was shown": ("content", lambda calls: calls["shown"].seen.update(posts=[[5, 4.5, None, 0, 0]])),
    "a post is beyond the limit": ("limit", lambda calls: calls["begin"].sent.update(quota=3)),
    "a refusal comes too early": ("limit", lambda calls: calls["begin"].sent.update(quota=6)),
    "a post is beyond the limit after a clock was wrong": (
        "limit",
        lambda calls: (calls["begin"].sent.update(quota=3), calls.update(jump("postgresql", 0.5, 1))),
    ),
    "a refusal comes too early while another clock is wrong": (
        "limit",
        lambda calls: (calls["begin"].sent.update(quota=6), calls.update(jump("api", 3, 5))),
    ),
    "a repeat is refused": ("limit", lambda calls: calls["limited"].sent.update(number=1)),
    "an event is missing": ("inbox", lambda calls: calls.update(inbox=inbox(1, 2, 4))),
    "an event is doubled": ("inbox", lambda calls: calls.update(inbox=inbox(1, 2, 3, 3, 4))),
    "an event after the pause": ("inbox", lambda calls: calls.update(inbox=inbox(1, 2, 3, 4, 5))),
    "an event before the subscription": ("inbox", lambda calls: set_times(calls["subscribe"], 3, 3.5)),
    "a checkpoint of another tree": ("tree", lambda calls: calls.update(checkpoint=checkpoint(b"\0" * 32))),
    "a checkpoint of another key": ("tree", lambda calls: calls.update(checkpoint=checkpoint(signer=other()))),
    "a checkpoint ahead of the log": ("tree", lambda calls: calls["entries"].seen.update(entries=entries(DIGESTS[0]))),
    "a receipt of another digest": ("tree", lambda calls: calls.update(receipt=receipt())),
    "a checkpoint disappears": ("fresh", lambda calls: calls.update(lost=absent("read_checkpoint", "", at=10))),
    "a checkpoint is older": ("fresh", lambda calls: calls.update(older=checkpoint(LEAVES[0], size=1, at=10))),
    "a receipt has no proof": ("fresh", lambda calls: calls.update(receipt=receipt(at=10))),
    "a post is never signed": (
        "late",
        lambda calls: calls.update(receipt=receipt(path="/api/posts/1/receipt", late=True)),
    ),
    "a search is never complete": ("late", lambda calls: calls["search"].seen.update(incomplete=True)),
    "a hidden post is shown": ("gone", lambda calls: calls["read"].seen.update(words=[4])),
    "a call fails": ("answers", lambda calls: calls.update(failed=call("vote", 9, {}, {}, 500))),
    "a used key is taken": ("answers", lambda calls: calls["first"].sent.update(expects=400)),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_found(name: str) -> None:
    judge, change = WRONG[name]
    calls = right()
    change(calls)
    assert judge in verdict(calls)


@pytest.mark.parametrize("quota", [3, 6])
def test_a_clock_that_jumps_allows_more_and_refuses_earlier(quota: int) -> None:
    calls = right() | jump("postgresql", 3, 5)
    calls["begin"].sent.update(quota=quota)
    assert verdict(calls) == []


def jump(service: str, *moments: float) -> Calls:
    """Return the calls that set a clock and correct it."""
    aheads = zip(moments, (10, 0), strict=True)
    return {
        f"{service} {ahead}": call("set_clock", at, {"service": service, "ahead": ahead}, {}) for at, ahead in aheads
    }


def absent(does: str, path: str, at: float = 9) -> Call:
    return call(does, at, {"path": path}, {"words": []}, 404)


def empty(does: str, **sent: Any) -> Call:
    return call(does, 9, sent, page())


def again_in_log(number: int) -> Call:
    found = log(1, 2, 3, 4, 5, 6)
    found.seen["rows"][-1][1] = number
    return found


def set_times(changed: Call, invoked: float, ended: float) -> None:
    changed.invoked, changed.ended = invoked, ended


def other() -> Signer:
    return Signer(make_key("board.example/log"))


def receipt(at: float = 9, **sent: Any) -> Call:
    return call("read_receipt", at, sent, {"words": [1], "post_id": 1, "sha256": "9" * 64, "log": None})


def test_a_call_keeps_what_judges_must_know() -> None:
    history = History()
    item = {"id": 5, "author": "anna", "created": 1.5, "body": f"It has {history.word(9)}.", "score": 2}
    read = history.invoke("anna", "search_board", {"path": "/"})
    content = json.dumps({"q": history.word(8), "threads": [item], "count": 1}).encode()
    history.answer(read, Reply(200, {}, content, "http://one"))
    lost = history.invoke("anna", "vote", {"post": 5})
    history.fail(lost, Unanswered("503 unavailable, outcome unknown", unchanged=False, url="http://one"))
    # the question of a search is none of its findings
    assert read.seen == {"words": [9], "count": 1, "posts": [SeenPost(5, 1.5, 9, 2, None)], "events": []}
    assert (lost.outcome, lost.status) == ("unknown", 503)
