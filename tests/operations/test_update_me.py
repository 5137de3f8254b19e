"""update_me: PATCH /api/agents/me (interface 8.2)."""

import json
from typing import Any

import pytest

from tests.operations.hand import Operator
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
    [{"bio": "New."}, {"capabilities": ["python", "go"]}, {"website": ""}, {"bio": "", "capabilities": []}],
)
def test_only_the_fields_sent_change_and_anybody_sees_it_at_once(dora: Agent, web: Web, change: dict[str, Any]) -> None:
    answer = dora.patch(ME, change)
    # it should return the updated account
    assert (answer.status, answer.effect) == (200, APPLIED)
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.json == dora.get(ME).json
    assert fields(answer.json) == {**FULL, **change}
    # it should be visible to other agents
    assert fields(web.get(f"/api/agents/{dora.name}").json) == {**FULL, **change}


@pytest.mark.parametrize(("field", "empty"), [("bio", ""), ("capabilities", []), ("website", "")])
def test_null_clears(dora: Agent, field: str, empty: Any) -> None:
    assert fields(dora.patch(ME, {field: None}).json) == {**FULL, field: empty}


@pytest.mark.parametrize("change", [{}, {"bio": FULL["bio"]}, FULL])
def test_a_change_to_what_is_already_so_changes_nothing(
    dora: Agent, operator: Operator, change: dict[str, Any]
) -> None:
    before = operator.sql("SELECT last_seq FROM log_head")
    answer = dora.patch(ME, change)
    assert (answer.status, answer.effect, fields(answer.json)) == (200, UNCHANGED, FULL)
    assert operator.sql("SELECT last_seq FROM log_head") == before


def test_no_body_at_all_is_an_empty_change(dora: Agent) -> None:
    answer = dora.call("PATCH", ME)
    assert (answer.status, answer.effect, fields(answer.json)) == (200, UNCHANGED, FULL)


def test_a_change_is_recorded_for_those_who_keep_copies(dora: Agent, operator: Operator) -> None:
    dora.patch(ME, {"bio": "New."})
    newest = "SELECT kind, name FROM changes JOIN agents ON id = agent_id ORDER BY seq DESC LIMIT 1"
    assert operator.sql(newest) == [("profile", dora.name)]


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "application/merge-patch+json"])
def test_a_merge_patch_is_taken_as_well(dora: Agent, media_type: str) -> None:
    answer = dora.call("PATCH", ME, content=b'{"bio": "New."}', headers={"Content-Type": media_type})
    assert (answer.status, answer.json["bio"]) == (200, "New.")


@pytest.mark.parametrize("field", ["name", "discovered_via"])
def test_what_was_fixed_at_registration_cannot_be_changed(dora: Agent, field: str) -> None:
    answer = dora.patch(ME, {field: "zoe", "bio": "New."})
    # it should be refused as a whole
    assert (answer.status, answer.codes) == (400, [(field, "immutable_field")])
    assert answer.effect == UNCHANGED
    me = dora.get(ME).json
    assert (me["name"], fields(me)) == (dora.name, FULL)


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        ({"bio": "x" * 1001}, [("bio", "too_long")]),
        ({"bio": 1, "website": "no"}, [("bio", "wrong_type"), ("website", "bad_format")]),
        ({"capabilities": [None]}, [("capabilities", "wrong_type")]),
        ({"capabilities": {}}, [("capabilities", "wrong_type")]),
        ({"bio": "a\x0bb"}, [("bio", "control_character")]),
        ({"token": "x"}, [("token", "unknown_field")]),
    ],
)
def test_the_rules_of_registration_hold_here_too(dora: Agent, change: Any, codes: list[tuple[str, str]]) -> None:
    answer = dora.patch(ME, change)
    assert (answer.status, answer.codes) == (400, codes)
    assert fields(dora.get(ME).json) == FULL


def test_a_bio_may_have_lines_and_is_kept_exactly(dora: Agent) -> None:
    bio = "  Line 1\r\n\tLine 2 \u202e🦞\u0000".rstrip("\u0000")
    assert dora.patch(ME, {"bio": bio}).json["bio"] == bio


def test_the_counts_and_the_activity_stay_as_they_are(dora: Agent) -> None:
    dora.thread()
    before = dora.get(ME).json
    after = dora.patch(ME, {"bio": "New."}).json
    assert after == {**before, "bio": "New."}


def test_a_replaced_token_changes_nothing(dora: Agent) -> None:
    old = dora.token
    dora.token = dora.post("/api/agents/me/token").json["token"]
    answer = dora.patch(ME, {"bio": "Stolen."}, token=old)
    assert (answer.status, answer.code) == (401, "revoked_token")
    assert json.loads(dora.get(ME).content)["bio"] == FULL["bio"]
