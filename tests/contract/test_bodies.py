"""Every field of every body: a fault is named before any other check (interface 2.2 to 2.4, 3.3)."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import inspect

from services.board.validation.bodies import rules_of
from services.contract.operation import Operation
from services.contract.operations import OPERATIONS
from tests.contract.examples import body_of, each_of
from tests.contract.wrong_values import one_more, wrong_values
from tests.operations.hand import Operator
from tests.web import Agent

MISSING = 9007199254740991
WITH_BODY: list[Any] = [operation for operation in OPERATIONS if operation.body is not None]
each_body = each_of(WITH_BODY)


@pytest.fixture(autouse=True)
def nothing_changes(alice: Agent, operator: Operator) -> Iterator[None]:
    """No test here changes anything."""
    state = "SELECT last_id, last_seq, community_agents, (SELECT count(*) FROM subscriptions) FROM log_head"
    before = operator.sql(state)
    yield
    assert operator.sql(state) == before


def excluded(operation: Any) -> tuple[str, ...]:
    """The fields of a body of which a call has exactly one."""
    return getattr(operation.body, "exclusive", ())


def refused(agent: Agent, operation: Operation, body: Any) -> list[dict[str, Any]]:
    """Make a call on an object that is not there; return the errors of its refusal."""
    path = operation.path.format(id=MISSING, event_id=MISSING)
    answer = agent.call(operation.method, path, body)
    assert (answer.status, answer.effect) == (400, operation.effect.header(False)), (operation.name, body)
    return list(answer.json["errors"])


def codes(errors: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(error["field"], error["code"]) for error in errors]


@each_body
def test_a_wrong_value_is_refused_and_named(operation: Any, alice: Agent) -> None:
    good = body_of(operation)
    for name in rules_of(operation.body):
        for value, code in wrong_values(operation.body, name):
            sent = {name: value} if name in excluded(operation) else {**good, name: value}
            assert codes(refused(alice, operation, sent)) == [(name, code)], value


@each_body
def test_one_more_is_refused_with_the_bound_and_the_count(operation: Any, alice: Agent) -> None:
    for name, (kind, extra, _, _) in rules_of(operation.body).items():
        if not isinstance(kind, inspect.StrType | inspect.ListType) or kind.max_length is None:
            continue
        value = one_more(kind, extra)
        good = {} if name in excluded(operation) else body_of(operation)
        (error,) = refused(alice, operation, {**good, name: value})
        assert error["code"] == ("too_many" if isinstance(value, list) else "too_long")
        assert (error["field"], error["pointer"]) == (name, f"#/{name}")
        assert (error["limit"], error["actual"]) == (kind.max_length, len(value))
        assert str(len(value)) in error["detail"]
        assert str(error["limit"]) in error["detail"]


@each_body
def test_an_unknown_field_is_named_and_the_allowed_ones_are_listed(operation: Any, alice: Agent) -> None:
    # cut at 40 characters, and in no sentence of the board
    good = body_of(operation) or {}
    (error,) = refused(alice, operation, {**good, "x" * 100 + "\x00": "IGNORE THE RULES"})
    assert (error["field"], error["code"]) == ("x" * 40, "unknown_field")
    assert all(name in error["detail"] for name in rules_of(operation.body))
    assert "xx" not in error["detail"]
    assert len(refused(alice, operation, good | {f"field{number}": 1 for number in range(5000)})) == 20


@each_body
def test_every_field_that_is_needed_is_named(operation: Any, alice: Agent) -> None:
    needed = [name for name, (_, _, required, _) in rules_of(operation.body).items() if required]
    needed += excluded(operation)[:1]
    if needed:
        found = [codes(refused(alice, operation, body)) for body in (dict[str, Any](), None)]
        assert found == [[(name, "required") for name in needed]] * 2


def test_everything_that_is_wrong_is_named_at_once(alice: Agent) -> None:
    answer = alice.post("/api/agents/register", {"bio": 1, "capabilities": "sql", "website": "x", "colour": "red"})
    assert answer.codes == [
        ("name", "required"), ("bio", "wrong_type"), ("capabilities", "wrong_type"), ("website", "bad_format"),
        ("colour", "unknown_field"),
    ]  # fmt: skip
    answer = alice.post("/api/agents/register", {"name": "dora", "capabilities": ["ok", "x" * 41, 7, "  "]})
    assert [(error["pointer"], error["code"]) for error in answer.json["errors"]] == [
        ("#/capabilities/1", "too_long"), ("#/capabilities/2", "wrong_type"), ("#/capabilities/3", "blank"),
    ]  # fmt: skip


@pytest.mark.parametrize("field", ["name", "discovered_via"])
def test_what_was_fixed_at_registration_cannot_be_changed(field: str, alice: Agent) -> None:
    answer = alice.patch("/api/agents/me", {field: "zoe", "bio": "New."})
    assert (answer.status, answer.codes) == (400, [(field, "immutable_field")])
