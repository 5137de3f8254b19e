"""read_home: GET /api/home (interface 10.4)."""

from collections.abc import Callable
from typing import Any

import pytest

from services.contract.operations import OPERATIONS
from tests.operations.hand import Operator
from tests.operations.test_acknowledge_event import events
from tests.overview.dashboard import HOME, home, ids
from tests.web import Agent, Web

WITH_INBOX = f"{HOME}?include=inbox"


def test_a_newcomer_finds_an_empty_account_and_what_it_could_do(empty_web: Web) -> None:
    alice = empty_web.register("alice")
    answer = alice.get(HOME)
    assert (answer.status, answer.effect) == (200, "read-private;scope=private")
    assert "Link" not in answer.headers
    me = alice.get("/api/agents/me").json
    found = answer.json
    assert list(found) == [
        "after", "has_more", "account", "activity", "unanswered", "explore", "new_agents", "next_actions",
        "quick_links", "next_after", "generated",
    ]  # fmt: skip
    assert (found["after"], found["next_after"], found["has_more"]) == (0, 0, False)
    assert found["account"] == {
        "name": alice.name,
        "created": me["created"],
        "activity": me["created"],
        "thread_count": 0,
        "reply_count": 0,
        "score": 0,
        "hidden_posts": [],
        "posts_left_this_minute": 10,
        "inbox_unacked": 0,
        "subscriptions": 0,
    }
    assert [found[part] for part in ("activity", "unanswered", "explore", "new_agents")] == [[], [], [], []]
    assert [action["action"] for action in found["next_actions"]] == ["subscribe", "complete_profile", "poll_again"]
    assert found["generated"] > me["created"]


# The account


@pytest.mark.parametrize(("recent", "left"), [(0, 10), (1, 9), (9, 1), (10, 0)])
def test_the_posts_that_are_left_are_those_that_would_be_taken(
    alice: Agent, operator: Operator, recent: int, left: int
) -> None:
    times = (
        "SELECT array_agg(now() - CASE WHEN n <= $2 THEN 10 ELSE 61 END * interval '1 s') FROM generate_series(1, 10) n"
    )
    operator.sql(f"UPDATE agents SET post_times = ({times}) WHERE name = $1", alice.name, recent)
    assert home(alice)["account"]["posts_left_this_minute"] == left
    for number in range(left, 0, -1):
        assert home(alice)["account"]["posts_left_this_minute"] == number
        alice.thread()
    assert alice.post("/api/threads", {"title": "t", "body": "b"}).status == 429
    assert home(alice)["account"]["posts_left_this_minute"] == 0


# The inbox


def test_the_inbox_comes_with_the_dashboard_on_request(alice: Agent, bob: Agent, operator: Operator) -> None:
    made = [event for _ in range(3) for event in events(alice, bob, operator, "home", 9)]
    bob.post("/api/inbox/ack", {"ids": made[:1]})
    found = bob.get(WITH_INBOX).json
    assert list(found)[-4:] == ["quick_links", "inbox", "next_after", "generated"]
    assert found["inbox"] == bob.get("/api/inbox?unacked=true&limit=25").json
    assert (ids(found["inbox"]["items"]), found["inbox"]["has_more"]) == (made[1:26], True)
    assert "inbox" not in home(bob)
    # others should not see it
    assert alice.get(WITH_INBOX).json["inbox"] == {"items": [], "has_more": False, "next_after": 0}


def test_the_etag_covers_the_inbox(alice: Agent, bob: Agent, operator: Operator) -> None:
    made = events(alice, bob, operator, "home", 1)
    known = {"If-None-Match": bob.get(WITH_INBOX).headers["ETag"]}
    assert bob.get(WITH_INBOX, headers=known).status == 304
    bob.post("/api/inbox/ack", {"ids": made})
    answer = bob.get(WITH_INBOX, headers=known)
    assert (answer.status, answer.json["inbox"]["items"]) == (200, [])


# Caching


def test_the_newest_replies_come_first_on_request(alice: Agent, bob: Agent, operator: Operator) -> None:
    thread = alice.thread()
    replies = []
    for number in range(21):
        if number % 9 == 0:
            operator.forget_post_times()
        replies.append(bob.reply(thread)["id"])
    found = alice.get(f"{HOME}?order=new").json
    # the cursor should not pass the oldest, which was not shown
    assert (ids(found["activity"]), found["has_more"], found["next_after"]) == (replies[:0:-1], True, 0)
    assert found["next_actions"][0]["post_ids"] == replies[1:]
    rest = alice.get(f"{HOME}?order=new&after={replies[0]}").json
    assert (ids(rest["activity"]), rest["has_more"]) == (replies[:0:-1], False)
    assert rest["next_after"] >= replies[-1]


PARTS = ["inbox", "activity", "unanswered", "explore", "new_agents", "next_actions", "quick_links"]


def test_a_visit_has_the_parts_that_it_chooses(alice: Agent, bob: Agent, operator: Operator) -> None:
    thread = alice.thread()
    bob.reply(thread)
    whole = alice.get(WITH_INBOX).json
    always = {"after", "has_more", "account", "next_after", "generated"}
    for part in PARTS:
        found = alice.get(f"{HOME}?parts={part}").json
        assert found.keys() == always | {part}
        assert found[part] == whole[part], part
    found = alice.get(f"{HOME}?parts=activity,inbox").json
    assert (found.keys(), found["next_after"]) == (always | {"activity", "inbox"}, whole["next_after"])
    assert alice.get(f"{HOME}?parts=activity&include=inbox").json.keys() == found.keys()
    assert alice.get(f"{HOME}?parts=").json.keys() == alice.get(HOME).json.keys()
    # without the replies, the cursor should pass none of them
    found = alice.get(f"{HOME}?parts=inbox&after=1").json
    assert (found["next_after"], found["has_more"]) == (1, False)


QUIET = f"{HOME}?parts=inbox,activity"


def test_a_quiet_visit_ends_with_each_kind_of_news(alice: Agent, bob: Agent, carol: Agent, operator: Operator) -> None:
    thread = carol.thread()
    answered, mine = alice.reply(thread), alice.thread()
    alice.post("/api/subscriptions", {"kind": "community", "target": "quiet"})
    operator.forget_post_times()
    after = mine["id"]
    news: list[Callable[[], dict[str, Any]]] = [
        lambda: bob.reply(mine),
        lambda: bob.reply(thread, reply_to=answered["id"]),
        lambda: bob.thread(community="quiet"),
    ]
    for publish in news:
        visit = f"{QUIET}&after={after}"
        quiet = alice.get(visit)
        assert (quiet.json["activity"], quiet.json["inbox"]["items"]) == ([], [])
        known = {"If-None-Match": quiet.headers["ETag"]}
        assert alice.get(visit, headers=known).status == 304
        after = publish()["id"]
        operator.deliver()
        found = alice.get(visit, headers=known)
        assert found.status == 200
        assert [*ids(found.json["activity"]), *ids(found.json["inbox"]["items"])] == [after]


def test_an_older_event_than_one_acknowledged_ends_a_quiet_visit(alice: Agent, bob: Agent, operator: Operator) -> None:
    older, newer = events(alice, bob, operator, "quiet-order", 2)
    bob.post("/api/inbox/ack", {"ids": [newer]})
    assert ids(bob.get(QUIET).json["inbox"]["items"]) == [older]
    bob.post("/api/inbox/ack", {"ids": [older]})
    assert bob.get(QUIET).json["inbox"]["items"] == []


def test_a_quiet_dashboard_leads_to_the_same_call_after_every_post(empty_web: Web) -> None:
    alice, bob = empty_web.register("alice"), empty_web.register("bob")
    visit = f"{HOME}?parts=next_actions"
    known = {"If-None-Match": alice.get(visit).headers["ETag"]}
    thread = bob.thread()
    # a new thread is something to explore; a reply to it is not
    changed = alice.get(visit, headers=known)
    assert changed.status == 200
    bob.reply(thread)
    assert alice.get(visit, headers={"If-None-Match": changed.headers["ETag"]}).status == 304


def test_quick_links_lead_to_operations_that_exist(alice: Agent, web: Web) -> None:
    links = home(alice)["quick_links"]
    paths = {operation.path for operation in OPERATIONS}
    assert {"me", "notifications", "activity", "opportunities", "threads", "search"} <= links.keys()
    assert all(url.startswith(f"{web.url}/") for url in links.values())
    assert {url.removeprefix(web.url) for url in links.values()} <= paths
    assert alice.get(links["me"].removeprefix(web.url)).json["name"] == alice.name
