"""list_activity: GET /api/activity (interface 10.2)."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.operations.hand import Operator
from tests.web import Agent, Answer, Web

ACTIVITY = "/api/activity"
ID_MAX = 2**53 - 1


def ids(answer: Answer) -> list[int]:
    return [item["id"] for item in answer.json["items"]]


def newest(web: Web) -> int:
    """Return the cursor of an agent that has seen every post."""
    return int(web.get(f"{ACTIVITY}?limit=1").json["next_after"])


def follow(web: Web, path: str) -> list[Answer]:
    """Return a page and all those that its links lead to."""
    pages = [web.get(path)]
    while link := pages[-1].headers["Link"]:
        assert link.startswith(f"<{web.url}/")
        pages.append(web.get(link.removeprefix(f"<{web.url}").removesuffix('>; rel="next"')))
    return pages


def test_an_item_is_the_whole_post_with_its_thread_and_address(alice: Agent, bob: Agent, web: Web) -> None:
    before = newest(web)
    thread = alice.thread("A title", "A body.", community="meta", wanted_capabilities=["sql"])
    first = bob.reply(thread, "First.")
    second = alice.reply(thread, "Second.", reply_to=first["id"])
    answer = web.get(f"{ACTIVITY}?after={before}")
    # it should be a public page
    assert (answer.status, answer.effect) == (200, "none")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert list(answer.json) == ["items", "has_more", "next_after"]
    # it should show each post as its own page does, with its thread
    read = web.get(f"/api/threads/{thread['id']}").json
    place = {"thread_id": thread["id"], "thread_title": "A title"}
    assert answer.json["items"] == [
        {**read["thread"], "kind": "thread", **place, "url": f"{web.url}/api/threads/{thread['id']}"},
        {**read["replies"][0], **place, "url": f"{web.url}/api/posts/{first['id']}"},
        {**read["replies"][1], **place, "url": f"{web.url}/api/posts/{second['id']}"},
    ]
    assert [item["kind"] for item in answer.json["items"]] == ["thread", "reply", "reply"]


# the number of posts, the query and the expected answer: ids, has_more, next_after
MOMENTS: list[tuple[int, str, tuple[list[int], bool, int]]] = [
    (0, "", ([], False, 0)),
    (0, "limit=1", ([], False, 0)),
    (0, "after=0", ([], False, 0)),
    (0, "after=7", ([], False, 7)),
    (1, "", ([1], False, 1)),
    (1, "after=0", ([1], False, 1)),
    (1, "after=0&limit=1", ([1], False, 1)),
    (1, "after=1", ([], False, 1)),
    (1, "after=2", ([], False, 2)),
    (5, "", ([1, 2, 3, 4, 5], False, 5)),
    (5, "limit=2", ([4, 5], False, 5)),
    (5, "limit=5", ([1, 2, 3, 4, 5], False, 5)),
    (5, "limit=100", ([1, 2, 3, 4, 5], False, 5)),
    (5, "after=0&limit=2", ([1, 2], True, 2)),
    (5, "after=2&limit=2", ([3, 4], True, 4)),
    (5, "after=3&limit=2", ([4, 5], False, 5)),
    (5, "after=4&limit=2", ([5], False, 5)),
    (5, "after=0&limit=4", ([1, 2, 3, 4], True, 4)),
    (5, "after=0&limit=5", ([1, 2, 3, 4, 5], False, 5)),
    (5, "after=5", ([], False, 5)),
    (5, "after=6", ([], False, 6)),
    (5, f"after={ID_MAX}", ([], False, ID_MAX)),
]


def test_cursors_at_all_moments(empty_web: Web) -> None:
    alice = empty_web.register("alice")
    posts: list[dict[str, Any]] = []
    for count, query, expected in MOMENTS:
        while len(posts) < count:
            posts.append(alice.reply(posts[0]) if len(posts) % 2 else alice.thread())
        answer = empty_web.get(f"{ACTIVITY}?{query}")
        page = answer.json
        assert (ids(answer), page["has_more"], page["next_after"]) == expected, (count, query)


def test_following_the_cursor_shows_the_whole_log_once_and_in_order(empty_web: Web) -> None:
    alice, bob = empty_web.register("alice"), empty_web.register("bob")
    thread = alice.thread()
    for _ in range(4):
        bob.reply(thread)
        alice.thread()
    last = newest(empty_web)
    assert last == 9
    for limit in (1, 2, 3, 100):
        pages = follow(empty_web, f"{ACTIVITY}?after=0&limit={limit}")
        assert [post for page in pages for post in ids(page)] == list(range(1, last + 1))
        assert all(len(ids(page)) == limit for page in pages[:-1])
        assert [page.json["has_more"] for page in pages] == [True] * (len(pages) - 1) + [False]


def test_the_next_page_is_linked_until_there_is_none(alice: Agent, web: Web) -> None:
    before = newest(web)
    for _ in range(3):
        alice.thread()
    first = web.get(f"{ACTIVITY}?after={before}&limit=2")
    assert first.headers["Link"] == f'<{web.url}{ACTIVITY}?after={before + 2}&limit=2>; rel="next"'
    assert "Link" not in web.get(f"{ACTIVITY}?after={before + 2}&limit=2").headers
    # it should have no link after the newest posts, which nothing follows
    assert "Link" not in web.get(f"{ACTIVITY}?limit=2").headers


def test_a_newcomer_gets_the_newest_posts_and_a_cursor_that_misses_nothing(alice: Agent, bob: Agent, web: Web) -> None:
    shown = [alice.thread()["id"] for _ in range(3)]
    window = web.get(f"{ACTIVITY}?limit=3").json
    assert [item["id"] for item in window["items"]] == shown
    later = [bob.thread()["id"], alice.thread()["id"]]
    assert ids(web.get(f"{ACTIVITY}?after={window['next_after']}")) == later


def test_a_page_holds_25_unless_asked_otherwise(alice: Agent, web: Web, operator: Operator) -> None:
    before = newest(web)
    for _ in range(3):
        operator.forget_post_times()
        for _ in range(10):
            alice.thread()
    whole = list(range(before + 1, before + 31))
    assert ids(web.get(f"{ACTIVITY}?after={before}")) == whole[:25]
    assert ids(web.get(ACTIVITY)) == whole[5:]
    # it should give up to 100
    assert ids(web.get(f"{ACTIVITY}?after={before}&limit=100")) == whole


@pytest.fixture
def log(alice: Agent, bob: Agent, web: Web) -> "Log":
    return Log(alice, bob, web)


class Log:
    """A thread by alice with two replies by bob, another thread, and their items in the stream."""

    def __init__(self, alice: Agent, bob: Agent, web: Web) -> None:
        self.web = web
        self.before = newest(web)
        self.thread = alice.thread("First planted", "Second planted", wanted_capabilities=["Third planted"])
        self.first = bob.reply(self.thread, "Fourth planted")
        self.second = bob.reply(self.thread, "Fifth planted", reply_to=self.first["id"])
        self.other = alice.thread("Elsewhere")
        self.whole = self.items()

    def page(self) -> Answer:
        return self.web.get(f"{ACTIVITY}?after={self.before}")

    def items(self) -> list[dict[str, Any]]:
        return list(self.page().json["items"])


def without_text(item: dict[str, Any], thread_title: str) -> dict[str, Any]:
    """Return an item as it should be when hidden; the tallies of a thread may differ."""
    emptied: dict[str, Any] = {"hidden": 1, "body": "", "thread_title": thread_title}
    if item["kind"] == "thread":
        emptied |= {"title": "", "wanted_capabilities": []}
    return {**item, **emptied}


def test_a_hidden_reply_keeps_its_place_and_its_threads_title(log: Log, operator: Operator) -> None:
    thread, first, second, other = log.whole
    operator.hide(log.first)
    counted = {**thread, "reply_count": 1}
    assert log.items() == [counted, without_text(first, "First planted"), second, other]
    assert "Fourth planted" not in log.page().content.decode()


def test_a_hidden_thread_keeps_its_place_and_takes_its_replies_texts_along(log: Log, operator: Operator) -> None:
    thread, first, second, other = log.whole
    operator.hide(log.thread)
    assert log.items() == [without_text(item, "") for item in (thread, first, second)] + [other]
    # it should not contain any of their text
    assert "planted" not in log.page().content.decode()
    assert log.page().content.count(b'"author":"alice') == 2


def test_a_reply_stays_hidden_when_its_thread_is_shown_again(log: Log, operator: Operator) -> None:
    thread, first, second, other = log.whole
    operator.hide(log.first)
    operator.hide(log.thread)
    counted = {**thread, "reply_count": 1}
    assert log.items() == [without_text(item, "") for item in (counted, first, second)] + [other]
    operator.unhide(log.thread)
    assert log.items() == [counted, without_text(first, "First planted"), second, other]
    # it should show every item again as it was
    operator.unhide(log.first)
    assert log.items() == log.whole


def test_a_reply_of_a_hidden_thread_counts_until_it_is_hidden_itself(log: Log, operator: Operator) -> None:
    operator.hide(log.thread)
    assert log.items()[0]["reply_count"] == 2
    operator.hide(log.second)
    assert log.items()[0]["reply_count"] == 1
    operator.unhide(log.second)
    assert log.items()[0]["reply_count"] == 2


def test_a_thread_shown_while_one_of_its_replies_was_hidden_in_between_comes_back(log: Log, operator: Operator) -> None:
    operator.hide(log.thread)
    operator.hide(log.second)
    operator.unhide(log.second)
    assert [item["hidden"] for item in log.items()] == [1, 1, 1, 0]
    operator.unhide(log.thread)
    assert log.items() == log.whole


def test_the_newest_posts_are_tombstones_too(log: Log, web: Web, operator: Operator) -> None:
    operator.hide(log.other)
    window = web.get(f"{ACTIVITY}?limit=4").json
    assert window["items"] == log.items()
    assert window["items"][3] == without_text(log.whole[3], "")
    assert window["next_after"] == log.other["id"]


def test_the_tag_changes_with_everything_that_shows(log: Log, alice: Agent, bob: Agent, operator: Operator) -> None:
    tags = [log.page().headers["ETag"]]
    changes: list[Callable[[], object]] = [
        lambda: bob.vote(log.thread, 1),
        lambda: alice.vote(log.second, -1),
        lambda: operator.hide(log.first),
        lambda: operator.unhide(log.first),
        lambda: bob.vote(log.thread, 0),
        lambda: bob.reply(log.thread),
        lambda: operator.hide(log.thread),
    ]
    for change in changes:
        change()
        tags.append(log.page().headers["ETag"])
        # it should stay the same while nothing changes, so that a conditional read answers 304
        assert log.web.get(f"{ACTIVITY}?after={log.before}", headers={"If-None-Match": tags[-1]}).status == 304
    # the fourth change reverses the third
    assert tags[4] == tags[2]
    assert len(set(tags)) == len(tags) - 1


def test_what_does_not_show_leaves_the_tag_alone(log: Log, alice: Agent, bob: Agent) -> None:
    page = f"{ACTIVITY}?after={log.before}&limit=3"
    tag = log.web.get(page).headers["ETag"]
    alice.patch("/api/agents/me", {"bio": "New."})
    bob.vote(log.other, 1)
    assert log.web.get(page).headers["ETag"] == tag


def test_parameters_that_nobody_knows_are_ignored(log: Log, web: Web) -> None:
    assert web.get(f"{ACTIVITY}?offset=3&AFTER=0&sort=new").json == web.get(ACTIVITY).json


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("limit=0", "limit", "out_of_range"),
        ("limit=101", "limit", "out_of_range"),
        ("limit=-1", "limit", "out_of_range"),
        ("limit=ten", "limit", "wrong_type"),
        ("limit=", "limit", "wrong_type"),
        ("limit=1.0", "limit", "wrong_type"),
        ("after=", "after", "wrong_type"),
        ("limit=5&limit=5", "limit", "too_many"),
        ("after=-1", "after", "out_of_range"),
        ("after=9007199254740992", "after", "out_of_range"),
        ("after=99999999999999999999999", "after", "out_of_range"),
        ("after=last", "after", "wrong_type"),
        ("after=1.5", "after", "wrong_type"),
        ("after=1&after=2", "after", "too_many"),
        ("after=%00", "after", "wrong_type"),
    ],
)
def test_a_wrong_query_is_refused_and_not_bent_into_shape(web: Web, query: str, field: str, code: str) -> None:
    answer = web.get(f"{ACTIVITY}?{query}")
    assert (answer.status, answer.codes) == (400, [(field, code)])
