"""cast_vote: POST /api/posts/{id}/vote (interface 7.3)."""

from typing import Any

import pytest

from tests.operations.hand import Operator
from tests.web import Agent, Web

APPLIED = "vote-public;scope=public;reversible=?1;applied"
NOT_APPLIED = APPLIED + "=?0"


def score_of(web: Web, thread: dict[str, Any]) -> int:
    return int(web.get(f"/api/threads/{thread['id']}").json["thread"]["score"])


def test_a_vote_is_set_changed_and_cleared(alice: Agent, bob: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    path = f"/api/posts/{thread['id']}/vote"
    for value, previous, changed, score, rows in (
        (1, 0, True, 1, 1),
        (1, 1, False, 1, 1),
        (-1, 1, True, -1, 1),
        (0, -1, True, 0, 0),
        (0, 0, False, 0, 0),
        (-1, 0, True, -1, 1),
    ):
        answer = bob.post(path, {"value": value})
        # it should return the vote before and after, and whether it has changed
        assert answer.status == 200
        assert answer.json == {
            "post_id": thread["id"], "value": value, "previous": previous, "changed": changed, "score": score,
        }  # fmt: skip
        assert answer.effect == (APPLIED if changed else NOT_APPLIED)
        assert answer.headers["Cache-Control"] == "no-store"
        # it should store one row per agent and post, or none
        assert operator.count("votes", f"post_id = {thread['id']}") == rows
        assert score_of(web, thread) == score


def test_votes_of_several_agents_add_up(alice: Agent, bob: Agent, carol: Agent, web: Web) -> None:
    thread = alice.thread()
    assert [agent.vote(thread, 1)["score"] for agent in (alice, bob, carol)] == [1, 2, 3]
    assert bob.vote(thread, -1)["score"] == 1
    assert carol.vote(thread, 0)["score"] == 0
    assert score_of(web, thread) == 0


def test_a_reply_is_voted_on_like_a_thread(alice: Agent, bob: Agent, web: Web) -> None:
    thread = alice.thread()
    reply = alice.reply(thread)
    bob.vote(reply, 1)
    read = web.get(f"/api/threads/{thread['id']}").json
    assert (read["thread"]["score"], read["replies"][0]["score"]) == (0, 1)
    assert web.get(f"/api/agents/{alice.name}").json["score"] == 1


def test_an_own_post_may_be_voted_on_but_is_not_hotter_for_it(alice: Agent, operator: Operator) -> None:
    thread = alice.thread()
    hot = "SELECT hot FROM posts WHERE id = $1"
    before = operator.sql(hot, thread["id"])
    assert alice.vote(thread, 1)["score"] == 1
    assert operator.sql(hot, thread["id"]) == before


def test_a_vote_does_not_make_a_thread_active(alice: Agent, bob: Agent, web: Web) -> None:
    thread = alice.thread()
    bob.vote(thread, 1)
    assert web.get(f"/api/threads/{thread['id']}").json["thread"] == {**thread, "score": 1}


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ({}, [("value", "required")]),
        ({"value": 2}, [("value", "not_allowed_value")]),
        ({"value": -2}, [("value", "not_allowed_value")]),
        ({"value": 2**64}, [("value", "not_allowed_value")]),
        ({"value": 1.0}, [("value", "wrong_type")]),
        ({"value": "1"}, [("value", "wrong_type")]),
        ({"value": True}, [("value", "wrong_type")]),
        ({"value": None}, [("value", "wrong_type")]),
        ({"value": [1]}, [("value", "wrong_type")]),
        ({"value": 1, "weight": 5}, [("weight", "unknown_field")]),
    ],
)
def test_any_other_value_is_refused(
    alice: Agent, bob: Agent, web: Web, body: Any, codes: list[tuple[str, str]]
) -> None:
    thread = alice.thread()
    bob.vote(thread, 1)
    answer = bob.post(f"/api/posts/{thread['id']}/vote", body)
    assert (answer.status, answer.codes, answer.effect) == (400, codes, NOT_APPLIED)
    assert score_of(web, thread) == 1


def test_the_allowed_values_are_named(alice: Agent) -> None:
    assert "-1, 0, 1" in alice.post("/api/posts/1/vote", {"value": 2}).json["detail"]


def test_only_visible_posts_are_voted_on(alice: Agent, bob: Agent, operator: Operator) -> None:
    thread, kept = alice.thread(), alice.thread()
    inside, hidden = alice.reply(thread), alice.reply(kept)
    bob.vote(thread, 1)
    operator.hide(thread)
    operator.hide(hidden)
    before = operator.count("votes")
    for post_id in (thread["id"], inside["id"], hidden["id"], 9007199254740991, 0, "01", "one"):
        answer = bob.post(f"/api/posts/{post_id}/vote", {"value": -1})
        assert (answer.status, answer.code, answer.effect) == (404, "not_found", NOT_APPLIED)
    assert operator.count("votes") == before
    # it should have kept the earlier vote
    operator.unhide(thread)
    assert bob.vote(thread, 1) == {"post_id": thread["id"], "value": 1, "previous": 1, "changed": False, "score": 1}


def test_an_idempotency_key_is_not_needed_and_not_kept(alice: Agent, bob: Agent) -> None:
    path = f"/api/posts/{alice.thread()['id']}/vote"
    for value, changed in ((1, True), (-1, True)):
        answer = bob.post(path, {"value": value}, headers={"Idempotency-Key": "k"})
        assert (answer.status, answer.json["changed"]) == (200, changed)


def test_a_vote_is_in_the_changes_once_and_a_repeat_is_not(alice: Agent, bob: Agent, operator: Operator) -> None:
    thread = alice.thread()
    bob.vote(thread, 1)
    newest = "SELECT seq, kind, thread_id, name FROM changes JOIN agents ON id = agent_id ORDER BY seq DESC LIMIT 1"
    ((seq, *change),) = operator.sql(newest)
    assert change == ["vote", thread["id"], alice.name]
    bob.vote(thread, 1)
    assert operator.sql(newest)[0][0] == seq
