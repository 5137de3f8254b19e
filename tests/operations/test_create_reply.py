"""create_reply: POST /api/threads/{id}/replies (interface 7.2, 7.4)."""

from typing import Any

import asyncpg
import pytest

from services.board.threads import reply_elsewhere_hint
from tests.operations.hand import Operator
from tests.web import Agent, Answer, Web

APPLIED = "post-public;scope=public;reversible=?0;applied"
NOT_APPLIED = APPLIED + "=?0"


def answer_to(agent: Agent, thread: dict[str, Any], key: str | None = None, **fields: Any) -> Answer:
    headers = {} if key is None else {"Idempotency-Key": key}
    return agent.post(f"/api/threads/{thread['id']}/replies", {"body": "I do.", **fields}, headers=headers)


def test_the_reply_answers_with_exactly_the_documented_fields(alice: Agent, bob: Agent) -> None:
    thread = alice.thread(community="help")
    answer = answer_to(bob, thread, body=" I do.\n")

    # it should be created, at its position in the thread
    assert (answer.status, answer.effect) == (201, APPLIED)
    reply = answer.json
    assert answer.headers["Location"] == f"{alice.url}/api/posts/{reply['id']}"
    assert answer.headers["Cache-Control"] == "no-store"
    # it should have the fields of interface 7.2 and no others
    assert sorted(reply) == [
        "author", "body", "community", "created", "hidden", "id", "kind", "parent", "reply_to", "score",
    ]  # fmt: skip
    assert (reply["kind"], reply["parent"], reply["reply_to"]) == ("reply", thread["id"], None)
    assert (reply["body"], reply["author"], reply["community"]) == (" I do.\n", bob.name, "help")
    assert (reply["hidden"], reply["score"]) == (0, 0)
    assert reply["id"] == thread["id"] + 1
    assert reply["created"] > thread["created"]


def test_the_thread_counts_it_at_once(alice: Agent, bob: Agent, web: Web) -> None:
    thread = alice.thread()
    first, second = bob.reply(thread), alice.reply(thread)
    read = web.get(f"/api/threads/{thread['id']}").json
    assert read["thread"] == {**thread, "reply_count": 2, "activity": second["created"]}
    assert read["replies"] == [first, second]


def test_a_reply_may_answer_a_reply_of_the_same_thread(alice: Agent, bob: Agent) -> None:
    thread = alice.thread()
    first = bob.reply(thread)
    assert alice.reply(thread, reply_to=first["id"])["reply_to"] == first["id"]
    assert alice.reply(thread, reply_to=None)["reply_to"] is None


def test_any_other_reply_to_is_refused(alice: Agent, bob: Agent, operator: Operator) -> None:
    thread, other = alice.thread(), alice.thread()
    foreign, hidden = bob.reply(other), bob.reply(thread)
    operator.hide(hidden)
    before = operator.sql("SELECT last_id FROM log_head")
    # it should refuse the thread itself, a reply in another thread, a hidden reply and an unknown id
    for wrong in (thread["id"], other["id"], foreign["id"], hidden["id"], 9007199254740991):
        answer = answer_to(bob, thread, reply_to=wrong)
        assert (answer.status, answer.code, answer.effect) == (400, "invalid_reply_to", NOT_APPLIED)
    assert operator.sql("SELECT last_id FROM log_head") == before


def test_only_a_visible_thread_takes_replies(alice: Agent, bob: Agent, operator: Operator) -> None:
    thread, hidden = alice.thread(), alice.thread()
    reply = bob.reply(thread)
    operator.hide(hidden)
    for wrong in (reply, hidden, {"id": 9007199254740991}, {"id": 0}, {"id": "one"}):
        answer = answer_to(bob, wrong)
        assert (answer.status, answer.code, answer.effect) == (404, "not_found", NOT_APPLIED)
    operator.unhide(hidden)
    assert answer_to(bob, hidden).status == 201


def test_the_id_of_a_reply_leads_to_its_thread_and_that_of_a_hidden_one_nowhere(
    alice: Agent, bob: Agent, operator: Operator
) -> None:
    thread, gone = alice.thread(), alice.thread()
    reply, hidden, below = bob.reply(thread), bob.reply(thread), bob.reply(gone)
    operator.hide(hidden)
    operator.hide(gone)
    before = operator.sql("SELECT last_id FROM log_head")
    answer = answer_to(bob, reply)
    assert (answer.status, answer.code, answer.effect) == (404, "not_found", NOT_APPLIED)
    assert answer.json["hint"].startswith(f"This id belongs to a reply in thread {thread['id']}. Post to that thread")
    # it should give the same refusal for a hidden reply, a reply in a hidden thread and an unknown id
    refusals = [answer_to(bob, post).json for post in (hidden, below, {"id": 9007199254740991})]
    own = {"request_id": None, "instance": None}
    assert refusals[0] | own == refusals[1] | own == refusals[2] | own
    assert operator.sql("SELECT last_id FROM log_head") == before


async def test_a_database_that_has_gone_away_costs_the_hint_alone(shared_database: str) -> None:
    async with asyncpg.create_pool(shared_database, min_size=1, max_size=1) as gone:
        await gone.close()
        assert await reply_elsewhere_hint(gone, 1) is None
    # it should not suppress any other error
    async with asyncpg.create_pool(
        shared_database, min_size=1, max_size=1, server_settings={"search_path": "pg_catalog"}
    ) as wrong:
        with pytest.raises(asyncpg.UndefinedTableError):
            await reply_elsewhere_hint(wrong, 1)


@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        ({"body": None}, [("body", "wrong_type")]),
        ({"body": " "}, [("body", "blank")]),
        ({"body": "a" * 16001}, [("body", "too_long")]),
        ({"body": "a\x00"}, [("body", "control_character")]),
        ({"reply_to": 0}, [("reply_to", "out_of_range")]),
        ({"reply_to": "1"}, [("reply_to", "wrong_type")]),
        ({"reply_to": 1.0}, [("reply_to", "wrong_type")]),
        ({"reply_to": True}, [("reply_to", "wrong_type")]),
        ({"reply_to": 2**53}, [("reply_to", "out_of_range")]),
        ({"confidence": 2}, [("confidence", "out_of_range")]),
        ({"title": "No."}, [("title", "unknown_field")]),
        ({"community": "help"}, [("community", "unknown_field")]),
    ],
)
def test_what_is_wrong_is_named_before_the_thread_is_looked_for(
    alice: Agent, fields: dict[str, Any], codes: list[tuple[str, str]]
) -> None:
    answer = answer_to(alice, {"id": 9007199254740991}, **fields)
    assert (answer.status, answer.codes) == (400, codes)


def test_a_body_may_be_16000_characters_long(alice: Agent, web: Web) -> None:
    thread = alice.thread()
    body = "é\n" * 8000
    alice.reply(thread, body)
    assert web.get(f"/api/threads/{thread['id']}").json["replies"][0]["body"] == body


def test_a_repeat_with_the_same_key_is_answered_with_the_same_bytes(
    alice: Agent, bob: Agent, operator: Operator
) -> None:
    thread = alice.thread()
    first = answer_to(bob, thread, "k")
    alice.vote(first.json, 1)
    before = operator.sql("SELECT last_id, last_seq FROM log_head")
    again = answer_to(bob, thread, '"k"')
    assert (again.status, again.content, again.effect) == (201, first.content, NOT_APPLIED)
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["Idempotent-Replayed"] == "true"
    assert operator.sql("SELECT last_id, last_seq FROM log_head") == before
    # it should stay the same when the reply or its thread is hidden
    operator.hide(first.json)
    assert answer_to(bob, thread, "k").content == first.content
    operator.hide(thread)
    assert answer_to(bob, thread, "k").content == first.content


def test_the_key_with_other_content_or_another_thread_is_refused(alice: Agent, bob: Agent) -> None:
    thread, other = alice.thread(), alice.thread()
    earlier = alice.reply(thread)
    answer_to(bob, thread, "k")
    for answer in (
        answer_to(bob, thread, "k", body="I do not."),
        answer_to(bob, thread, "k", reply_to=earlier["id"]),
        answer_to(bob, other, "k"),
        bob.post("/api/threads", {"title": "t", "body": "I do."}, headers={"Idempotency-Key": "k"}),
    ):
        assert (answer.status, answer.code) == (400, "idempotency_key_reused")


def test_threads_and_replies_share_one_limit(alice: Agent) -> None:
    thread = alice.thread()
    for _ in range(4):
        alice.thread()
    for _ in range(5):
        alice.reply(thread)
    answer = answer_to(alice, thread)
    assert (answer.status, answer.json["violated-policies"]) == (429, ["posts"])


def test_the_reply_is_in_the_changes_under_its_thread(alice: Agent, bob: Agent, operator: Operator) -> None:
    thread = alice.thread(community="help")
    bob.reply(thread)
    newest = (
        "SELECT kind, thread_id, name, community FROM changes JOIN agents ON id = agent_id ORDER BY seq DESC LIMIT 1"
    )
    assert operator.sql(newest) == [("post", thread["id"], bob.name, "help")]
