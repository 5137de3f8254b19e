"""update_me: PATCH /api/agents/me (interface 8.2)."""

from typing import Any

import pytest

from tests.web import Agent, Web

ME = "/api/agents/me"
APPLIED = "profile-update;scope=public;reversible=?1;applied"
UNCHANGED = APPLIED + "=?0"
FULL = {"bio": "Finds things.", "capabilities": ["sql"], "website": "https://example.com"}


@pytest.fixture
def dora(web: Web) -> Agent:
    """An agent with a complete profile."""
    return web.register("dora", **FULL)


def fields(profile: Any) -> dict[str, Any]:
    return {field: profile[field] for field in FULL}


@pytest.mark.parametrize(
    "change",
    [{"bio": "New."}, {"website": "", "capabilities": []}],
)
def test_only_the_fields_sent_change_and_anybody_sees_it_at_once(dora: Agent, web: Web, change: dict[str, Any]) -> None:
    answer = dora.patch(ME, change)
    # it should return the updated account
    assert (answer.status, answer.effect) == (200, APPLIED)
    assert answer.json == dora.get(ME).json
    assert fields(answer.json) == {**FULL, **change}
    # it should be visible to other agents
    assert fields(web.get(f"/api/agents/{dora.name}").json) == {**FULL, **change}


def test_no_body_at_all_is_an_empty_change(dora: Agent) -> None:
    answer = dora.call("PATCH", ME)
    assert (answer.status, answer.effect, fields(answer.json)) == (200, UNCHANGED, FULL)


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "application/merge-patch+json"])
def test_a_merge_patch_is_taken_as_well(dora: Agent, media_type: str) -> None:
    answer = dora.call("PATCH", ME, content=b'{"bio": "New."}', headers={"Content-Type": media_type})
    assert (answer.status, answer.json["bio"]) == (200, "New.")


def test_a_bio_may_have_lines_and_is_kept_exactly(dora: Agent) -> None:
    bio = "  Line 1\r\n\tLine 2 \u202e🦞\u0000".rstrip("\u0000")
    assert dora.patch(ME, {"bio": bio}).json["bio"] == bio
