"""read_thread: GET /api/threads/{id} (interface 2, 7.6, 9.5)."""

import pytest

from tests.operations.hand import Operator
from tests.web import Agent, Web


def test_the_thread_is_read_with_its_replies_oldest_first(alice: Agent, bob: Agent, web: Web) -> None:
    thread = alice.thread(wanted_capabilities=["sql"])
    first = bob.reply(thread)
    second = alice.reply(thread, reply_to=first["id"])
    answer = web.get(f"/api/threads/{thread['id']}")

    # it should be public
    assert (answer.status, answer.effect) == (200, "none")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert list(answer.json) == ["thread", "replies", "has_more", "next_offset"]
    # it should be the thread as it was created, with its replies counted
    assert answer.json["thread"] == {**thread, "reply_count": 2, "activity": second["created"]}
    # it should have the replies as they were created
    assert answer.json["replies"] == [first, second]
    assert (answer.json["has_more"], answer.json["next_offset"]) == (False, 2)


def test_a_page_has_a_hundred_replies(alice: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    replies = []
    for _ in range(11):
        operator.forget_post_times()
        replies += [alice.reply(thread, f"No. {i}")["id"] for i in range(10)]
    path = f"/api/threads/{thread['id']}"
    first = web.get(path)
    assert [reply["id"] for reply in first.json["replies"]] == replies[:100]
    assert (first.json["has_more"], first.json["next_offset"]) == (True, 100)
    # it should link to the rest
    assert first.headers["Link"] == f'<{web.url}{path}?offset=100>; rel="next"'
    second = web.get(f"{path}?offset=100")
    assert [reply["id"] for reply in second.json["replies"]] == replies[100:]
    assert (second.json["has_more"], second.json["next_offset"]) == (False, 110)
    assert second.json["thread"] == first.json["thread"]
    assert "Link" not in second.headers
    # it should start at any offset, and be empty beyond the end
    assert [reply["id"] for reply in web.get(f"{path}?offset=7").json["replies"]] == replies[7:107]
    beyond = web.get(f"{path}?offset=9007199254740991").json
    assert (beyond["replies"], beyond["has_more"], beyond["next_offset"]) == ([], False, 9007199254740991)


def test_exactly_a_hundred_replies_are_one_page(alice: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    for _ in range(10):
        operator.forget_post_times()
        for _ in range(10):
            alice.reply(thread)
    page = web.get(f"/api/threads/{thread['id']}").json
    assert (len(page["replies"]), page["has_more"], page["next_offset"]) == (100, False, 100)


def test_a_hidden_reply_keeps_its_place_without_its_text(
    alice: Agent, bob: Agent, web: Web, operator: Operator
) -> None:
    thread = alice.thread()
    first, second = bob.reply(thread, "First."), bob.reply(thread, "Second.")
    third = bob.reply(thread, "Third.", reply_to=first["id"])
    path = f"/api/threads/{thread['id']}"
    before = web.get(path).json
    operator.hide(first)

    # it should keep the author but no text, and no longer be counted
    after = web.get(path).json
    assert after["replies"] == [{**first, "hidden": 1, "body": ""}, second, third]
    assert after["thread"]["reply_count"] == 2
    assert web.get(f"{path}?offset=1").json["replies"] == [second, third]
    # it should move the thread's activity back if the reply was the newest
    operator.hide(third)
    assert web.get(path).json["thread"]["activity"] == second["created"]
    # it should be the same as before
    operator.unhide(third)
    operator.unhide(first)
    assert web.get(path).json == before


def test_a_hidden_thread_is_not_found_and_answers_as_one_that_never_was(
    alice: Agent, bob: Agent, web: Web, operator: Operator
) -> None:
    thread = alice.thread()
    reply = bob.reply(thread)
    operator.hide(thread)

    def said(post_id: int) -> dict[str, object]:
        answer = web.get(f"/api/threads/{post_id}")
        assert answer.status == 404
        return {k: v for k, v in answer.json.items() if k not in ("request_id", "instance")}

    # it should answer the same for the thread, its reply and an unknown id, and refuse the author too
    assert said(thread["id"]) == said(reply["id"]) == said(9007199254740991)
    assert alice.get(f"/api/threads/{thread['id']}").status == 404
    operator.unhide(thread)
    assert [post["id"] for post in web.get(f"/api/threads/{thread['id']}").json["replies"]] == [reply["id"]]


def test_the_id_of_a_reply_leads_to_its_thread(alice: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    reply = alice.reply(thread)
    answer = web.get(f"/api/threads/{reply['id']}")
    assert (answer.status, answer.code) == (404, "not_found")
    assert answer.json["hint"] == f"This id belongs to a reply in thread {thread['id']}."
    # it should not reveal the thread of a hidden reply
    operator.hide(reply)
    assert str(thread["id"]) not in web.get(f"/api/threads/{reply['id']}").json["hint"]


@pytest.mark.parametrize(
    "post_id",
    ["0", "00", "01", "-1", "+1", "1_0", "1.0", "1e3", "%31%C2%A0", "%D9%A1", "9007199254740992",
     "18446744073709551616", "9" * 400, "one", "%20", "1%20", "%201", "null", "0x1", "1;", "%00", "*"],
)  # fmt: skip
def test_what_cannot_be_an_id_is_not_found(alice: Agent, web: Web, post_id: str) -> None:
    alice.thread()
    answer = web.get(f"/api/threads/{post_id}")
    assert (answer.status, answer.code) == (404, "not_found")


@pytest.mark.parametrize(
    ("offset", "code"),
    [("-1", "out_of_range"), ("9007199254740992", "out_of_range"), ("one", "wrong_type"), ("1.0", "wrong_type")],
)
def test_a_wrong_offset_is_refused(alice: Agent, web: Web, offset: str, code: str) -> None:
    answer = web.get(f"/api/threads/{alice.thread()['id']}?offset={offset}")
    assert (answer.status, answer.codes) == (400, [("offset", code)])


def test_the_tag_changes_with_everything_that_shows(alice: Agent, bob: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    path = f"/api/threads/{thread['id']}"
    tags = [web.get(path).headers["ETag"]]
    reply = bob.reply(thread)
    tags.append(web.get(path).headers["ETag"])
    for change in (
        lambda: bob.vote(thread, 1),
        lambda: alice.vote(reply, -1),
        lambda: operator.hide(reply),
    ):
        change()
        tags.append(web.get(path).headers["ETag"])
    assert len(set(tags)) == 5
    # it should stay the same while nothing changes
    assert web.get(path).headers["ETag"] == tags[-1]
