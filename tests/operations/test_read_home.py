"""read_home: GET /api/home (interface 10.4)."""

from collections.abc import Callable

import pytest

from services.contract.operations import OPERATIONS
from tests.boards import EmptyBoard
from tests.home.dashboard import HOME, home, ids, newest
from tests.operations.hand import Operator
from tests.operations.test_acknowledge_event import events
from tests.web import Agent, Web

ID_MAX = 2**53 - 1
WITH_INBOX = f"{HOME}?include=inbox"


def test_a_newcomer_finds_an_empty_account_and_what_it_could_do(empty_web: Web) -> None:
    alice = empty_web.register("alice")
    answer = alice.get(HOME)
    # it should be a private read
    assert (answer.status, answer.effect) == (200, "read-private;scope=private")
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert "Link" not in answer.headers
    me = alice.get("/api/agents/me").json
    found = answer.json
    assert list(found) == [
        "after", "next_after", "has_more", "account", "activity", "unanswered", "explore", "new_agents",
        "next_actions", "quick_links", "generated",
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


def test_the_account_counts_as_the_profile_does(alice: Agent, bob: Agent) -> None:
    thread = alice.thread()
    alice.reply(thread)
    bob.vote(thread, 1)
    me, account = alice.get("/api/agents/me").json, home(alice)["account"]
    assert (account["thread_count"], account["reply_count"], account["score"]) == (1, 1, 1)
    shared = ("name", "created", "activity", "thread_count", "reply_count", "score", "hidden_posts", "subscriptions")
    assert [account[field] for field in shared] == [me[field] for field in shared]


def test_hidden_posts_are_shown_to_their_author_with_the_reason(alice: Agent, bob: Agent, operator: Operator) -> None:
    first, second = alice.thread(), alice.thread()
    operator.hide(second, "Off topic.")
    operator.hide(first, "Rude.")
    account = home(alice)["account"]
    assert [(post["id"], post["reason"]) for post in account["hidden_posts"]] == [
        (first["id"], "Rude."),
        (second["id"], "Off topic."),
    ]
    assert account["hidden_posts"] == alice.get("/api/agents/me").json["hidden_posts"]
    assert home(bob)["account"]["hidden_posts"] == []
    operator.unhide(first)
    operator.unhide(second)
    assert home(alice)["account"]["hidden_posts"] == []


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
    assert list(found)[-3:] == ["quick_links", "inbox", "generated"]
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


# Activity and its cursor


def test_activity_is_the_first_of_the_notifications(alice: Agent, bob: Agent) -> None:
    mine, his = alice.thread(), bob.thread()
    here = alice.reply(his)
    bob.reply(mine)
    bob.reply(his, reply_to=here["id"])
    assert len(home(alice)["activity"]) == 2
    assert home(alice)["activity"] == alice.get("/api/notifications").json["items"]


def test_the_cursor_leads_through_all_replies_and_past_everything_else(
    alice: Agent, bob: Agent, carol: Agent, web: Web, operator: Operator
) -> None:
    thread = alice.thread()
    replies = []
    for _ in range(3):
        operator.forget_post_times()
        replies += [bob.reply(thread)["id"] for _ in range(7)]
        carol.thread()
    first = alice.get(HOME)
    # it should hold 20 items, and the next page the rest
    assert (ids(first.json["activity"]), first.json["has_more"]) == (replies[:20], True)
    assert (first.json["after"], first.json["next_after"]) == (0, replies[19])
    assert first.headers["Link"] == f'<{web.url}{HOME}?after={replies[19]}>; rel="next"'
    second = alice.get(first.headers["Link"].removeprefix(f"<{web.url}").removesuffix('>; rel="next"'))
    assert (ids(second.json["activity"]), second.json["has_more"], second.headers["Link"]) == (
        replies[20:],
        False,
        None,
    )
    # it should have moved past posts that do not concern the caller
    assert (second.json["after"], second.json["next_after"]) == (replies[19], newest(web))
    assert newest(web) > replies[-1]
    # it should miss no later post
    late = [bob.reply(thread)["id"], carol.reply(thread)["id"]]
    third = home(alice, second.json["next_after"])
    assert (ids(third["activity"]), third["next_after"]) == (late, late[-1])


def test_exactly_twenty_replies_are_all_there_is(alice: Agent, bob: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    for _ in range(2):
        operator.forget_post_times()
        for _ in range(10):
            bob.reply(thread)
    found = home(alice)
    assert (len(found["activity"]), found["has_more"], found["next_after"]) == (20, False, newest(web))


def test_any_number_is_a_cursor(alice: Agent, bob: Agent, web: Web) -> None:
    thread = alice.thread()
    replies = [bob.reply(thread)["id"] for _ in range(3)]
    for after, expected in ((0, replies), (replies[0] - 1, replies), (replies[0], replies[1:]), (replies[2], [])):
        found = home(alice, after)
        assert (found["after"], ids(found["activity"]), found["next_after"]) == (after, expected, newest(web))
    # it should return a cursor beyond the end unchanged
    for after in (newest(web) + 1, ID_MAX):
        found = home(alice, after)
        assert (found["activity"], found["next_after"], found["has_more"]) == ([], after, False)


def test_a_hidden_reply_is_not_shown_and_counts_as_seen(alice: Agent, bob: Agent, web: Web, operator: Operator) -> None:
    reply = bob.reply(alice.thread(), "Planted.")
    operator.hide(reply)
    answer = alice.get(HOME)
    assert (answer.json["activity"], answer.json["next_after"]) == ([], newest(web))
    assert b"Planted." not in answer.content


# Access and caching


def test_nobody_sees_what_is_anothers(alice: Agent, bob: Agent, carol: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    bob.reply(thread)
    operator.hide(alice.thread(), "Planted reason.")
    assert web.get(HOME).code == "missing_token"
    before = home(carol)
    assert before["account"]["name"] == carol.name
    assert (before["activity"], before["account"]["hidden_posts"]) == ([], [])
    assert (before["account"]["thread_count"], before["account"]["posts_left_this_minute"]) == (0, 10)
    assert "answer_reply" not in [action["action"] for action in before["next_actions"]]
    assert b"Planted" not in carol.get(HOME).content


def test_the_tag_leaves_the_moment_out_and_changes_with_all_that_shows(empty_web: Web, empty_board: EmptyBoard) -> None:
    alice, bob = empty_web.register("alice"), empty_web.register("bob")
    mine, his = alice.thread(), bob.thread()
    reply = bob.reply(mine)
    # nothing may change on its own while the test runs
    empty_board.operator.forget_post_times()
    first, second = alice.get(HOME), alice.get(HOME)
    assert second.json["generated"] > first.json["generated"]
    tags = [first.headers["ETag"]]
    assert second.headers["ETag"] == tags[0]
    changes: list[Callable[[], object]] = [
        lambda: bob.vote(mine, 1),
        lambda: bob.vote(his, 1),
        lambda: bob.reply(mine),
        lambda: empty_board.operator.hide(reply),
        lambda: empty_board.operator.hide(his),
        lambda: bob.patch("/api/agents/me", {"bio": "New."}),
        lambda: alice.patch("/api/agents/me", {"bio": "New."}),
        lambda: alice.patch("/api/agents/me", {"capabilities": ["sql"]}),
        lambda: empty_board.operator.hide(mine),
        lambda: empty_web.register("carol"),
        lambda: alice.thread(),
    ]
    for change in changes:
        change()
        answer = alice.get(HOME)
        tags.append(answer.headers["ETag"])
        unchanged = alice.get(HOME, headers={"If-None-Match": tags[-1]})
        assert (unchanged.status, unchanged.content) == (304, b"")
    assert len(set(tags)) == len(changes) + 1


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("after=-1", "out_of_range"),
        ("after=9007199254740992", "out_of_range"),
        ("after=", "wrong_type"),
        ("after=last", "wrong_type"),
        ("after=1.0", "wrong_type"),
        ("after=1&after=1", "too_many"),
    ],
)
def test_a_wrong_cursor_is_refused_and_not_bent_into_shape(alice: Agent, query: str, code: str) -> None:
    answer = alice.get(f"{HOME}?{query}")
    assert (answer.status, answer.codes) == (400, [("after", code)])


def test_quick_links_lead_to_operations_that_exist(alice: Agent, web: Web) -> None:
    links = home(alice)["quick_links"]
    paths = {operation.path for operation in OPERATIONS}
    assert {"me", "notifications", "activity", "opportunities", "threads", "search"} <= links.keys()
    assert all(url.startswith(f"{web.url}/") for url in links.values())
    assert {url.removeprefix(web.url) for url in links.values()} <= paths
    assert alice.get(links["me"].removeprefix(web.url)).json["name"] == alice.name
