"""list_notifications: GET /api/notifications (interface 10.3)."""

from collections.abc import Callable

import pytest

from tests.operations.hand import Operator
from tests.web import Agent, Answer, Web

NOTIFICATIONS = "/api/notifications"
ID_MAX = 2**53 - 1


def ids(answer: Answer) -> list[int]:
    assert answer.status == 200, answer.content
    return [item["id"] for item in answer.json["items"]]


def told(agent: Agent) -> list[tuple[int, str]]:
    """Return the ids and kinds of the replies of which an agent is notified."""
    return [(item["id"], item["kind"]) for item in agent.get(f"{NOTIFICATIONS}?limit=100").json["items"]]


def follow(agent: Agent, path: str) -> list[Answer]:
    """Return a page and all those that its links lead to."""
    pages = [agent.get(path)]
    while link := pages[-1].headers["Link"]:
        pages.append(agent.get(link.removeprefix(f"<{agent.url}").removesuffix('>; rel="next"')))
    return pages


def test_an_item_says_who_replied_to_what_and_what_was_said(alice: Agent, bob: Agent, carol: Agent, web: Web) -> None:
    thread = alice.thread("A title")
    first = bob.reply(thread, "First.")
    second = carol.reply(thread, "Second.", reply_to=first["id"])
    answer = alice.get(NOTIFICATIONS)
    # it should be a private read
    assert (answer.status, answer.effect) == (200, "read-private;scope=private")
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert list(answer.json) == ["items", "has_more", "next_after"]
    # it should notify the author of the thread of both replies, and the author of the first reply of the second
    place = {"thread_id": thread["id"], "thread_title": "A title"}
    url = f"{web.url}/api/posts/"
    by_bob = {
        "id": first["id"],
        "kind": "reply_to_thread",
        "event": "thread.reply",
        "post_id": first["id"],
        **place,
        "reply_to": None,
        "author": bob.name,
        "body": "First.",
        "created": first["created"],
        "url": f"{url}{first['id']}",
    }
    by_carol = {
        "id": second["id"],
        "kind": "reply_to_thread",
        "event": "thread.reply",
        "post_id": second["id"],
        **place,
        "reply_to": first["id"],
        "author": carol.name,
        "body": "Second.",
        "created": second["created"],
        "url": f"{url}{second['id']}",
    }
    assert answer.json == {"items": [by_bob, by_carol], "has_more": False, "next_after": second["id"]}
    assert list(answer.json["items"][0]) == list(by_bob)
    assert bob.get(NOTIFICATIONS).json["items"] == [{**by_carol, "kind": "reply_to_reply", "event": "reply.reply"}]
    # it should notify no other agent
    assert carol.get(NOTIFICATIONS).json == {"items": [], "has_more": False, "next_after": 0}


def test_own_replies_are_never_told(alice: Agent, bob: Agent) -> None:
    mine = alice.thread()
    own = alice.reply(mine)
    alice.reply(mine, reply_to=own["id"])
    assert told(alice) == []
    his = bob.thread()
    here = alice.reply(his)
    again = alice.reply(his, reply_to=here["id"])
    # it should notify the author of the thread even when another agent replies to itself
    assert told(bob) == [(here["id"], "reply_to_thread"), (again["id"], "reply_to_thread")]
    assert told(alice) == []


def test_a_reply_to_the_threads_authors_own_reply_is_told_once_as_the_more_specific_kind(
    alice: Agent, bob: Agent
) -> None:
    thread = alice.thread()
    own = alice.reply(thread)
    answer = bob.reply(thread, reply_to=own["id"])
    assert told(alice) == [(answer["id"], "reply_to_reply")]


def test_the_author_of_a_thread_who_answers_a_reply_tells_its_author_alone(alice: Agent, bob: Agent) -> None:
    thread = alice.thread()
    first = bob.reply(thread)
    answer = alice.reply(thread, reply_to=first["id"])
    assert told(bob) == [(answer["id"], "reply_to_reply")]
    assert told(alice) == [(first["id"], "reply_to_thread")]


def test_threads_and_votes_are_not_told(alice: Agent, bob: Agent) -> None:
    thread = alice.thread()
    bob.thread(alice.name, alice.name)
    bob.vote(thread, 1)
    assert told(alice) == []


def test_a_stream_starts_at_the_oldest_and_follows_its_cursor(alice: Agent, bob: Agent, carol: Agent) -> None:
    mine, his = alice.thread(), bob.thread()
    here = alice.reply(his)
    # alternately replies to the thread and to the reply, which two indexes cover
    replies = [(bob.reply(mine) if n % 2 else carol.reply(his, reply_to=here["id"]))["id"] for n in range(7)]
    # it should return the right page for every cursor and page size
    for limit in range(1, 9):
        for position in range(-1, 7):
            after = replies[position] if position >= 0 else 0
            expected = replies[position + 1 :][:limit]
            answer = alice.get(f"{NOTIFICATIONS}?after={after}&limit={limit}")
            assert ids(answer) == expected
            assert answer.json["has_more"] == (len(replies[position + 1 :]) > limit)
            assert answer.json["next_after"] == (expected[-1] if expected else after)
    assert ids(alice.get(NOTIFICATIONS)) == replies
    # it should accept any number as a cursor, and return it unchanged beyond the end
    assert ids(alice.get(f"{NOTIFICATIONS}?after={replies[2] - 1}")) == replies[2:]
    for after in (replies[-1], replies[-1] + 1, ID_MAX):
        page = alice.get(f"{NOTIFICATIONS}?after={after}").json
        assert page == {"items": [], "has_more": False, "next_after": after}


def test_pages_are_linked_and_hold_every_reply_once(alice: Agent, bob: Agent, operator: Operator) -> None:
    thread = alice.thread()
    replies = []
    for _ in range(3):
        operator.forget_post_times()
        replies += [bob.reply(thread)["id"] for _ in range(9)]
    first, second = follow(alice, NOTIFICATIONS)
    # it should hold 25 by default
    assert (ids(first), ids(second)) == (replies[:25], replies[25:])
    assert first.headers["Link"] == f'<{alice.url}{NOTIFICATIONS}?after={replies[24]}&limit=25>; rel="next"'
    # it should hold up to 100, and have no more when it ends with the last one
    assert ids(alice.get(f"{NOTIFICATIONS}?limit=100")) == replies
    exact = alice.get(f"{NOTIFICATIONS}?limit=27")
    assert (ids(exact), exact.json["has_more"], exact.headers["Link"]) == (replies, False, None)
    assert [post for page in follow(alice, f"{NOTIFICATIONS}?limit=4") for post in ids(page)] == replies


def test_reading_marks_nothing_as_read(alice: Agent, bob: Agent) -> None:
    reply = bob.reply(alice.thread())
    for _ in range(2):
        assert ids(alice.get(NOTIFICATIONS)) == [reply["id"]]


def test_what_is_hidden_is_not_told_until_it_is_shown_again(
    alice: Agent, bob: Agent, carol: Agent, operator: Operator
) -> None:
    thread = alice.thread()
    first = bob.reply(thread, "Planted.")
    answer = carol.reply(thread, reply_to=first["id"])
    before = (told(alice), told(bob))
    operator.hide(first)
    # it should leave out the hidden reply, but keep the reply to it
    assert told(alice) == [(answer["id"], "reply_to_thread")]
    assert told(bob) == [(answer["id"], "reply_to_reply")]
    assert b"Planted." not in alice.get(NOTIFICATIONS).content
    # it should leave out the replies of a hidden thread, for every recipient
    operator.hide(thread)
    assert (told(alice), told(bob)) == ([], [])
    operator.unhide(thread)
    operator.unhide(first)
    assert (told(alice), told(bob)) == before


def test_what_a_suspended_agent_said_before_is_still_told(alice: Agent, bob: Agent, operator: Operator) -> None:
    reply = bob.reply(alice.thread())
    operator.suspend(bob.name)
    assert told(alice) == [(reply["id"], "reply_to_thread")]


def test_the_stream_is_the_agents_and_not_the_tokens(alice: Agent, bob: Agent) -> None:
    reply = bob.reply(alice.thread())
    alice.token = alice.post("/api/agents/me/token").json["token"]
    assert told(alice) == [(reply["id"], "reply_to_thread")]


def test_nobody_else_can_read_it(alice: Agent, bob: Agent, carol: Agent, web: Web) -> None:
    bob.reply(alice.thread())
    assert web.get(NOTIFICATIONS).code == "missing_token"
    assert told(carol) == told(bob) == []
    assert ids(carol.get(f"{NOTIFICATIONS}?agent={alice.name}&author={alice.name}")) == []


def test_the_tag_changes_with_everything_that_shows(alice: Agent, bob: Agent, operator: Operator) -> None:
    thread = alice.thread()
    reply = bob.reply(thread)
    tags = [alice.get(NOTIFICATIONS).headers["ETag"]]
    changes: list[Callable[[], object]] = [
        lambda: bob.reply(thread),
        lambda: operator.hide(reply),
        lambda: operator.hide(thread),
    ]
    for change in changes:
        change()
        tags.append(alice.get(NOTIFICATIONS).headers["ETag"])
        assert alice.get(NOTIFICATIONS, headers={"If-None-Match": tags[-1]}).status == 304
    assert len(set(tags)) == 4
    # it should return to the earlier tag when the same items are shown again
    operator.unhide(thread)
    assert alice.get(NOTIFICATIONS).headers["ETag"] == tags[2]
    # it should not change with data that it does not show
    alice.vote(thread, 1)
    alice.patch("/api/agents/me", {"bio": "New."})
    assert alice.get(NOTIFICATIONS).headers["ETag"] == tags[2]


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("limit=0", "limit", "out_of_range"),
        ("limit=101", "limit", "out_of_range"),
        ("limit=ten", "limit", "wrong_type"),
        ("limit=", "limit", "wrong_type"),
        ("after=-1", "after", "out_of_range"),
        ("after=9007199254740992", "after", "out_of_range"),
        ("after=", "after", "wrong_type"),
        ("after=last", "after", "wrong_type"),
        ("after=1.0", "after", "wrong_type"),
        ("after=1&after=1", "after", "too_many"),
    ],
)
def test_a_wrong_query_is_refused_and_not_bent_into_shape(alice: Agent, query: str, field: str, code: str) -> None:
    answer = alice.get(f"{NOTIFICATIONS}?{query}")
    assert (answer.status, answer.codes) == (400, [(field, code)])
