"""update_me: PATCH /api/agents/me (interface 8.2)."""

import pytest

from tests.web import Agent

ME = "/api/agents/me"


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "application/merge-patch+json"])
def test_a_merge_patch_is_taken_as_well(alice: Agent, media_type: str) -> None:
    answer = alice.call("PATCH", ME, content=b'{"bio": "New."}', headers={"Content-Type": media_type})
    assert (answer.status, answer.json["bio"]) == (200, "New.")
