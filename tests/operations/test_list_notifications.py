"""list_notifications: GET /api/notifications (interface 10.3)."""

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


def test_an_item_says_who_replied_to_what_and_what_was_said(alice: Agent, bob: Agent, carol: Agent, web: Web) -> None:
    thread = alice.thread("A title")
    first = bob.reply(thread, "First.")
    second = carol.reply(thread, "Second.", reply_to=first["id"])
    answer = alice.get(NOTIFICATIONS)
    assert (answer.status, answer.effect) == (200, "read-private;scope=private")
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


def test_a_reply_to_the_threads_authors_own_reply_is_told_once_as_the_more_specific_kind(
    alice: Agent, bob: Agent
) -> None:
    thread = alice.thread()
    own = alice.reply(thread)
    answer = bob.reply(thread, reply_to=own["id"])
    assert told(alice) == [(answer["id"], "reply_to_reply")]


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


def test_the_newest_come_first_and_pages_lead_back(alice: Agent, bob: Agent, carol: Agent, operator: Operator) -> None:
    thread = alice.thread()
    replies = [author.reply(thread)["id"] for author in (bob, carol) for _ in range(3)]
    path = f"{NOTIFICATIONS}?order=new&limit=4"
    first = alice.get(path)
    assert (ids(first), first.json["has_more"], first.json["next_after"]) == (replies[:1:-1], True, 0)
    assert first.json["next_before"] == replies[2]
    assert f"before={replies[2]}" in first.headers["Link"]
    rest = alice.get(f"{path}&before={replies[2]}")
    assert (ids(rest), rest.json["has_more"], rest.headers["Link"]) == (replies[1::-1], False, None)
    # a cursor should end the way back, and what is hidden should be absent
    operator.hide({"id": replies[4]})
    assert ids(alice.get(f"{path}&after={replies[2]}")) == [replies[5], replies[3]]
    assert ids(alice.get(f"{NOTIFICATIONS}?before={replies[2]}")) == replies[:2]
