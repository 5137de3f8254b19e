"""read_home: GET /api/home (interface 10.4)."""

from collections.abc import Callable
from typing import Any

from tests.operations.hand import Operator
from tests.operations.test_acknowledge_event import events
from tests.overview.dashboard import HOME, home, ids
from tests.web import Agent

WITH_INBOX = f"{HOME}?include=inbox"


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
