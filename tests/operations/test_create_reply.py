"""create_reply: POST /api/threads/{id}/replies (interface 7.2, 7.4)."""

from typing import Any

import asyncpg
import pytest

from services.board.posts.threads import reply_elsewhere_hint
from tests.operations.hand import Operator
from tests.web import Agent, Answer

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
    # it should have the fields of interface 7.2 and no others
    assert sorted(reply) == [
        "author", "body", "community", "created", "hidden", "id", "kind", "parent", "reply_to", "score",
    ]  # fmt: skip
    assert (reply["kind"], reply["parent"], reply["reply_to"]) == ("reply", thread["id"], None)
    assert (reply["body"], reply["author"], reply["community"]) == (" I do.\n", bob.name, "help")
    assert (reply["hidden"], reply["score"]) == (0, 0)
    assert reply["id"] == thread["id"] + 1
    assert reply["created"] > thread["created"]


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


def test_the_id_of_a_reply_leads_to_its_thread(alice: Agent, bob: Agent) -> None:
    thread = alice.thread()
    hint = answer_to(bob, bob.reply(thread)).json["hint"]
    assert hint.startswith(f"This id belongs to a reply in thread {thread['id']}. Post to that thread")


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
