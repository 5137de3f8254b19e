"""create_subscription: POST /api/subscriptions (interface 11.1)."""

from typing import Any

import pytest

from tests.operations.hand import Operator
from tests.web import Agent

PATH = "/api/subscriptions"
MOST = 100
APPLIED = "subscription-write;scope=private;reversible=?1;applied"
NOT_APPLIED = APPLIED + "=?0"
KEPT = "SELECT s.kind, s.target FROM subscriptions s JOIN agents a ON a.id = s.agent_id WHERE a.name = $1 ORDER BY s.id"


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ({"kind": "community", "target": "meta"}, {"kind": "community.thread", "target": "meta"}),
        ({"kind": "capability.request", "target": "SQL"}, {"kind": "capability", "target": " sql "}),
        ({"kind": "announcement"}, {"kind": "announcements"}),
        ({"kind": "community", "target": "Meta"}, {"kind": "community", "target": "META"}),
        ({"kind": "capability", "target": "ÄÖ ΣΑΣ"}, {"kind": "capability", "target": "äö σασ"}),
        ({"kind": "announcements"}, {"kind": "announcements", "target": ""}),
        ({"kind": "announcements", "target": None}, {"kind": "announcements"}),
    ],
)
def test_a_repeat_is_answered_with_what_is_there(
    bob: Agent, operator: Operator, first: dict[str, Any], again: dict[str, Any]
) -> None:
    created = bob.post(PATH, first)
    repeated = bob.post(PATH, again)
    assert (created.status, repeated.status, repeated.effect) == (201, 200, NOT_APPLIED)
    assert repeated.json == created.json
    assert repeated.headers["Location"] == created.headers["Location"]
    # it should have one subscription and one span
    assert len(operator.sql(KEPT, bob.name)) == 1
    assert operator.count("subscription_spans", f"subscription_id = {created.json['id']}") == 1


def test_a_thread_that_is_not_there_is_not_found(alice: Agent, bob: Agent, operator: Operator) -> None:
    thread = alice.thread()
    operator.hide(thread)
    unknown = ("9007199254740991", "9999999999999999", str(thread["id"]))
    answer, *others = [bob.post(PATH, {"kind": "thread", "target": target}) for target in unknown]
    assert (answer.status, answer.code, answer.effect) == (404, "not_found", NOT_APPLIED)
    own = {"request_id": None, "instance": None}
    assert [other.json | own for other in others] == [answer.json | own] * 2
    # it should name the field at fault, because the path is right
    detail = "target is not the id of a visible thread."
    assert answer.json["errors"] == [
        {"pointer": "#/target", "field": "target", "code": "not_found", "detail": detail, "limit": None, "actual": None}
    ]
    assert (answer.json["detail"], answer.json["title"]) == (detail, "Not found")


NO_TARGETS: dict[str, list[tuple[Any, str]]] = {
    "thread": [
        (None, "required"), ("", "blank"), ("01", "bad_format"), (" 1", "bad_format"), ("\u0661", "bad_format"),
        ("12345678901234567", "bad_format"), (0, "out_of_range"), (2**53, "out_of_range"), (10**30, "out_of_range"),
        (1.0, "wrong_type"), (True, "wrong_type"), ([1], "wrong_type"),
    ],
    "thread.reply": [("01", "bad_format")],
    "community": [
        (None, "required"), (" ", "blank"), (" meta ", "bad_format"), ("-sql", "bad_format"),
        ("two words", "bad_format"), ("x" * 41, "too_long"), (1, "wrong_type"),
    ],
    "capability": [
        (None, "required"), ("\t", "blank"), ("x" * 41, "too_long"), ("a\nb", "control_character"),
        ("a\0b", "control_character"), ("\ud800", "control_character"), (1, "wrong_type"),
    ],
    "announcements": [("all", "too_long"), (0, "wrong_type")],
}  # fmt: skip


@pytest.mark.parametrize("kind", NO_TARGETS)
def test_what_cannot_be_followed_is_refused(bob: Agent, operator: Operator, kind: str) -> None:
    for target, code in NO_TARGETS[kind]:
        answer = bob.post(PATH, {"kind": kind, "target": target})
        assert (answer.status, answer.codes, answer.effect) == (400, [("target", code)], NOT_APPLIED), target
    assert operator.sql(KEPT, bob.name) == []


def test_a_target_of_the_longest_allowed_length_is_taken(bob: Agent) -> None:
    # each of these characters grows when a database lower-cases it by the full rules
    assert len(bob.subscribe("capability", "\u0130" * 40)["target"]) in (40, 80)
    assert bob.subscribe("community", "x" * 40)["target"] == "x" * 40


def test_there_are_at_most_so_many_paused_ones_included(bob: Agent, operator: Operator) -> None:
    for n in range(MOST):
        last = bob.subscribe("capability", f"tag {n}")
    bob.post(f"{PATH}/{last['id']}/pause")
    answer = bob.post(PATH, {"kind": "capability", "target": "one more"})
    assert (answer.status, answer.code, answer.codes) == (400, "validation_failed", [("subscriptions", "too_many")])
    assert answer.effect == NOT_APPLIED
    assert answer.json["errors"][0]["limit"] == MOST
    assert len(operator.sql(KEPT, bob.name)) == MOST
    # it should still answer a repeat, and accept another subscription once one was deleted
    assert bob.post(PATH, {"kind": "capability", "target": "tag 0"}).status == 200
    bob.delete(f"{PATH}/{last['id']}")
    assert bob.post(PATH, {"kind": "capability", "target": "one more"}).status == 201


def test_a_thread_is_followed_by_its_id_as_a_number(alice: Agent, bob: Agent) -> None:
    thread = alice.thread()["id"]
    for kind in ("thread", "thread.reply"):
        answer = bob.post(PATH, {"kind": kind, "target": thread})
        assert (answer.status, answer.json["target"]) == (201 if kind == "thread" else 200, str(thread))
    # it should be the same subscription in decimal
    assert bob.post(PATH, {"kind": "thread", "target": str(thread)}).json == answer.json
    assert bob.post(PATH, {"kind": "thread", "target": 9007199254740991}).code == "not_found"
