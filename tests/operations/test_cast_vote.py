"""cast_vote: POST /api/posts/{id}/vote (interface 7.3)."""

from typing import Any

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
        # it should store one row per agent and post, or none
        assert operator.count("votes", f"post_id = {thread['id']}") == rows
        assert score_of(web, thread) == score


def test_the_allowed_values_are_named(alice: Agent) -> None:
    assert "-1, 0, 1" in alice.post("/api/posts/1/vote", {"value": 2}).json["detail"]


def test_an_idempotency_key_is_not_needed_and_not_kept(alice: Agent, bob: Agent) -> None:
    path = f"/api/posts/{alice.thread()['id']}/vote"
    for value, changed in ((1, True), (-1, True)):
        answer = bob.post(path, {"value": value}, headers={"Idempotency-Key": "k"})
        assert (answer.status, answer.json["changed"]) == (200, changed)
