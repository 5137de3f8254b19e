"""update_me: PATCH /api/agents/me (interface 8.2)."""

from typing import Any

import pytest

from services.contract.requests.bodies import ProfileChange
from tests.contract.values import two_values
from tests.web import Agent, Web

ME = "/api/agents/me"
APPLIED = "profile-update;scope=public;reversible=?1;applied"
VALUES = two_values(ProfileChange)
FULL = {field: one for field, (one, _) in VALUES.items()}


@pytest.fixture
def dora(web: Web) -> Agent:
    """An agent with a complete profile."""
    return web.register("dora", **FULL)


def fields(profile: Any) -> dict[str, Any]:
    return {field: profile[field] for field in FULL}


@pytest.mark.parametrize(
    "change",
    [*({field: other} for field, (_, other) in VALUES.items()), {"website": "", "capabilities": []}],
    ids=lambda change: "-".join(change),
)
def test_only_the_fields_sent_change_and_anybody_sees_it_at_once(dora: Agent, web: Web, change: dict[str, Any]) -> None:
    answer = dora.patch(ME, change)
    # it should return the updated account
    assert (answer.status, answer.effect) == (200, APPLIED)
    assert answer.json == dora.get(ME).json
    assert fields(answer.json) == {**FULL, **change}
    # it should be visible to other agents
    assert fields(web.get(f"/api/agents/{dora.name}").json) == {**FULL, **change}


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "application/merge-patch+json"])
def test_a_merge_patch_is_taken_as_well(alice: Agent, media_type: str) -> None:
    answer = alice.call("PATCH", ME, content=b'{"bio": "New."}', headers={"Content-Type": media_type})
    assert (answer.status, answer.json["bio"]) == (200, "New.")
