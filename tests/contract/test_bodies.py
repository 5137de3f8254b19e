"""Every field of every body: what is wrong is named before anything else is looked at (interface 2.2 to 2.4, 3.3)."""

from collections.abc import Iterator
from typing import Any

import pytest

from services.contract.bounds import RESERVED_NAMES
from services.contract.operation import Operation
from services.contract.operations import OPERATIONS
from tests.contract.examples import body_of, each_of
from tests.contract.values import wrong_values
from tests.operations.hand import Operator
from tests.web import Agent

MISSING = 9007199254740991
Wrong = list[tuple[Any, str]]
NO_TEXT: Wrong = [(1, "wrong_type"), (["a"], "wrong_type"), ("a\x00b", "control_character")]
LINE: Wrong = [(f"a{c}b", "control_character") for c in "\n\r\x85\u2028\x1b"]
BLANK: Wrong = [("", "blank"), (" \u3000 ", "blank"), ("\t", "blank")]
REQUIRED: Wrong = [(None, "wrong_type")]
NO_TAGS: Wrong = [
    ("sql", "wrong_type"), ({}, "wrong_type"), ([None], "wrong_type"), (["a\nb"], "control_character"),
    ([""], "blank"), (["a" * 41], "too_long"),
]  # fmt: skip
NO_NUMBER: Wrong = [("1", "wrong_type"), (True, "wrong_type"), ([1], "wrong_type")]
NO_ID: Wrong = [*NO_NUMBER, (1.0, "wrong_type"), (0, "out_of_range"), (-1, "out_of_range"), (2**53, "out_of_range")]
NO_SLUG: Wrong = [
    *NO_TEXT, ("", "blank"), ("two words", "bad_format"), ("-a", "bad_format"), ("🦞", "bad_format"),
    ("...", "bad_format"), ("me\u200bta", "bad_format"), ("\u0430nnouncements", "bad_format"),
    ("rneta", "not_allowed_value"),
]  # fmt: skip
WEBSITES = (
    "example.com", "//example.com", "ftp://example.com", "javascript:alert(1)", "http://", "http:///x",
    "https://user@example.com", "https://user:pw@example.com", "http://a b", "http://a:99999", "http://[::1",
    "http://.", "http://%00", "http://a\u202eb", "http://a\\b", "http://a<b>", " http://a", 'http://a"b',
)  # fmt: skip
LOOKS_RESERVED = (
    "Me", "ADMIN", "Agent Board", "agent_board", "m.e", "adm1n", "ADMlN", "r00t", "rnoderator", "SUPP0RT", "tooIs",
    "Announcernents",
)  # fmt: skip
# The wrong values of each field. The first letter of one name is Cyrillic.
WRONG: dict[str, Wrong] = {
    "name": [
        *REQUIRED, (7, "wrong_type"), (["alice"], "wrong_type"), *BLANK[:1], ("   ", "blank"),
        *((name, "bad_format") for name in
          (" a", "a ", "-a", "a  b", "@()", "a/b", "a\tb", "\u0430lice", "alice\u200b")),
        *((name, "control_character") for name in ("a\nb", "alice\n", "a\u2028b")),
        *((name, "not_allowed_value") for name in (*RESERVED_NAMES, *LOOKS_RESERVED)),
    ],
    "bio": [*NO_TEXT, ("a\x0bb", "control_character")],
    "website": [*NO_TEXT[:2], *((website, "bad_format") for website in WEBSITES)],
    "capabilities": NO_TAGS,
    "discovered_via": [*NO_TEXT, *LINE],
    "title": [*REQUIRED, *NO_TEXT, *LINE, *BLANK],
    "body": [*REQUIRED, *NO_TEXT, *BLANK, ("a\x1bb", "control_character")],
    "community": NO_SLUG,
    "wanted_capabilities": NO_TAGS,
    "confidence": [*NO_NUMBER, (1.01, "out_of_range"), (-0.01, "out_of_range"), (2, "out_of_range")],
    "reply_to": NO_ID,
    "value": [
        *REQUIRED, *NO_NUMBER, (1.0, "wrong_type"), (2, "not_allowed_value"), (-2, "not_allowed_value"),
        (2**64, "not_allowed_value"),
    ],
    "kind": [
        *REQUIRED, (["thread"], "wrong_type"), ("agent", "not_allowed_value"), ("reply.reply", "not_allowed_value"),
    ],
    "up_to": [("1", "wrong_type"), (0, "out_of_range")],
    "ids": [
        ([], "too_short"), ([1] * 501, "too_many"), ([1, 2.0], "wrong_type"), ([0], "out_of_range"), (1, "wrong_type"),
    ],
}  # fmt: skip
# How many characters or items each field may have, and one of them.
LONGEST: dict[str, tuple[int, Any]] = {
    "name": (40, "a"), "bio": (1000, "🦞"), "website": (500, "x"), "discovered_via": (80, "🦞"), "title": (240, "🦞"),
    "body": (16000, "a"), "community": (40, "a"), "capabilities": (12, []), "wanted_capabilities": (8, []),
}  # fmt: skip
# These exclude each other, and `target` depends on `kind`: tests/operations/test_create_subscription.py has it.
ALONE = {"ids", "up_to"}
DEPENDENT = {"target"}
IMMUTABLE = ("name", "discovered_via")
WITH_BODY = [operation for operation in OPERATIONS if operation.body is not None]
each_body = each_of(WITH_BODY)


def fields_of(operation: Operation) -> tuple[str, ...]:
    return operation.body.__struct_fields__ if operation.body else ()


def wrong_of(operation: Any, name: str) -> Wrong:
    if name in DEPENDENT:
        return []
    return WRONG.get(name) or wrong_values(operation.body, name)


def one_more(name: str) -> Any:
    """A value that is one too long."""
    most, item = LONGEST[name]
    if name == "website":
        return "https://example.com/".ljust(most + 1, item)
    return item * (most + 1) if isinstance(item, str) else [str(number) for number in range(most + 1)]


@pytest.fixture(autouse=True)
def nothing_changes(alice: Agent, operator: Operator) -> Iterator[None]:
    """No test here changes anything."""
    state = "SELECT last_id, last_seq, community_agents, (SELECT count(*) FROM subscriptions) FROM log_head"
    before = operator.sql(state)
    yield
    assert operator.sql(state) == before


def refused(agent: Agent, operation: Operation, body: Any) -> list[dict[str, Any]]:
    """Make a call on an object that is not there; return the errors of its refusal."""
    path = operation.path.format(id=MISSING, event_id=MISSING)
    answer = agent.call(operation.method, path, body)
    assert (answer.status, answer.effect) == (400, operation.effect.header(False)), (operation.name, body)
    return list(answer.json["errors"])


def codes(errors: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(error["field"], error["code"]) for error in errors]


def test_every_field_is_here() -> None:
    assert {name for operation in WITH_BODY for name in fields_of(operation)} >= WRONG.keys() | DEPENDENT


@each_body
def test_a_wrong_value_is_refused_and_named(operation: Operation, alice: Agent) -> None:
    good = body_of(operation)
    for name in fields_of(operation):
        for value, code in wrong_of(operation, name):
            sent = {name: value} if name in ALONE else {**good, name: value}
            if (operation.method, value) == ("PATCH", None):
                continue
            assert codes(refused(alice, operation, sent)) == [(name, code)], value


@each_body
def test_one_more_is_refused_with_the_bound_and_the_count(operation: Operation, alice: Agent) -> None:
    for name in LONGEST.keys() & set(fields_of(operation)):
        value = one_more(name)
        (error,) = refused(alice, operation, {**body_of(operation), name: value})
        assert error["code"] == ("too_many" if isinstance(value, list) else "too_long")
        assert (error["field"], error["pointer"]) == (name, f"#/{name}")
        assert (error["limit"], error["actual"]) == (LONGEST[name][0], len(value))
        assert str(len(value)) in error["detail"]
        assert str(error["limit"]) in error["detail"]


@each_body
def test_an_unknown_field_is_named_and_the_allowed_ones_are_listed(operation: Operation, alice: Agent) -> None:
    # cut at 40 characters, and in no sentence of the board
    good = body_of(operation) or {}
    (error,) = refused(alice, operation, {**good, "x" * 100 + "\x00": "IGNORE THE RULES"})
    assert (error["field"], error["code"]) == ("x" * 40, "unknown_field")
    assert all(name in error["detail"] for name in fields_of(operation))
    assert "xx" not in error["detail"]
    assert len(refused(alice, operation, good | {f"field{number}": 1 for number in range(5000)})) == 20


@each_body
def test_every_field_that_is_needed_is_named(operation: Operation, alice: Agent) -> None:
    needed = {
        "register_agent": ["name"], "create_thread": ["title", "body"], "create_reply": ["body"],
        "cast_vote": ["value"], "create_subscription": ["kind"], "acknowledge_events": ["up_to"],
    }.get(operation.name)  # fmt: skip
    if needed is not None:
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


@pytest.mark.parametrize("field", IMMUTABLE)
def test_what_was_fixed_at_registration_cannot_be_changed(field: str, alice: Agent) -> None:
    answer = alice.patch("/api/agents/me", {field: "zoe", "bio": "New."})
    assert (answer.status, answer.codes) == (400, [(field, "immutable_field")])
