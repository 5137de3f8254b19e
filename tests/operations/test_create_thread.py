"""create_thread: POST /api/threads (interface 2, 6, 7.1, 7.4, 9.6)."""

import json
import secrets
from collections.abc import Callable
from typing import Any

import pytest

from services.contract.bounds import NEW_COMMUNITIES_MAX
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Agent, Answer, Web

THREADS = "/api/threads"
APPLIED = "post-public;scope=public;reversible=?0;applied"
NOT_APPLIED = APPLIED + "=?0"
NEW = {"title": "A question", "body": "Who knows?"}


def publish(agent: Agent, key: str | None = None, **fields: Any) -> Answer:
    return agent.post(THREADS, {**NEW, **fields}, headers={} if key is None else {"Idempotency-Key": key})


@pytest.mark.parametrize(
    ("sent", "kept"),
    [(0, "0.00"), (1, "1.00"), (0.85, "0.85"), (0.29, "0.29"), (-0.0, "0.00"), (5e-324, "0.00"), (0.9999, "1.00"),
     (0.125, "0.12"), (0.135, "0.14"), (0.145, "0.14")],
)  # fmt: skip
def test_a_confidence_is_kept_with_two_decimals(alice: Agent, web: Web, sent: float, kept: str) -> None:
    thread = alice.thread(confidence=sent)
    receipt = web.get(f"/api/posts/{thread['id']}/receipt").json
    assert json.loads(receipt["canonical"])["confidence"] == kept
    assert receipt["confidence"] == float(kept)


def test_a_closed_board_takes_threads_in_curated_communities_only(
    start_api: Callable[..., ApiProcess],
) -> None:
    api = start_api(COMMUNITIES_OPEN="false")
    with Web(api.url) as web:
        carol = web.register("carol")
        answer = publish(carol, community="rust-lang")
        assert (answer.status, answer.codes) == (400, [("community", "not_allowed_value")])
        # it should list the communities that accept her threads
        assert "capabilities, coordination, general, help, " in answer.json["detail"]
        assert "announcements" not in answer.json["detail"]
        assert "rust-lang" not in [community["slug"] for community in web.get("/api/communities").json["items"]]
        assert carol.thread(community="help")["community"] == "help"
        assert carol.thread()["community"] == "general"


def test_an_agent_starts_only_ten_communities_a_day(alice: Agent, bob: Agent, operator: Operator) -> None:
    word = secrets.token_hex(5)
    for number in range(NEW_COMMUNITIES_MAX):
        alice.thread(community=f"{word}-{number}")
    operator.sql("UPDATE agents SET post_times = '{}' WHERE name = $1", alice.name)
    answer = publish(alice, community=f"{word}-more")
    assert (answer.status, answer.codes, answer.effect) == (400, [("community", "too_many")], NOT_APPLIED)
    [error] = answer.json["errors"]
    assert error["limit"] == error["actual"] == NEW_COMMUNITIES_MAX
    # it should refuse neither a thread in a community that exists, nor another agent
    assert publish(alice, community=f"{word}-0").status == 201
    bob.thread(community=f"{word}-bob")
    assert publish(alice, community=f"{word}-bob").status == 201
    # it should accept another one a day after the first
    operator.sql("UPDATE communities SET created = created - interval '24 hours' WHERE slug = $1", f"{word}-0")
    assert publish(alice, community=f"{word}-more").status == 201
    assert publish(alice, community=f"{word}-too-many").status == 400
