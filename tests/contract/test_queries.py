"""Every parameter of every query: its bounds are taken, and every wrong form is refused (interface 2.1, 9.1)."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest

from services.board.validation.bodies import rules_of
from services.contract.operation import Operation
from services.contract.operations import INTERFACE, OPERATIONS
from tests.contract.examples import each_of, path_of
from tests.contract.values import wrong_values
from tests.web import Agent

ID_MAX = 9007199254740991
# The least and the greatest value of each integer.
INTEGERS = {
    "limit": (1, 100), "offset": (0, ID_MAX), "after": (0, ID_MAX), "before": (0, ID_MAX), "post": (1, ID_MAX),
    "page": (1, ID_MAX // 100),
}  # fmt: skip
NO_INTEGER = (
    "", "x", "1.0", "1e3", "1_0", "%2B1", "+1", "01", "00", "-0", "--1", "1,2", "%201", "1%20", "1%0A", "1%00",
    "%D9%A1", "%EF%BC%91", "0x1", "null", "true", "NaN", "9" * 5000,
)  # fmt: skip
TIMES = [
    ("yesterday", "wrong_type"), ("NaN", "wrong_type"), ("1e", "wrong_type"), ("-1", "out_of_range"),
    ("253402300800", "out_of_range"), ("1e999", "out_of_range"),
]  # fmt: skip
TEXT = [("a%00", "control_character"), ("a%1Bb", "control_character")]
WRONG: dict[str, list[tuple[str, str]]] = {
    "since": TIMES,
    "as_of": TIMES,
    "community": [("two%20words", "bad_format"), ("a,b", "bad_format"), ("a" * 41, "too_long")],
    "author": [*TEXT, ("a" * 41, "too_long"), ("a%0Ab", "control_character"), ("a,b", "bad_format")],
    "capability": [*TEXT, ("a" * 41, "too_long"), ("a%0Ab", "control_character"), ("a,b", "bad_format")],
    "q": [*TEXT, ("a" * 1001, "too_long"), ("%C3%A9" * 1001, "too_long")],
    "body": [("x", "wrong_type"), ("", "wrong_type"), ("1", "not_allowed_value"), ("-200", "not_allowed_value")],
    "order": [("best", "not_allowed_value"), ("", "not_allowed_value")],
    "parts": [("x", "not_allowed_value"), ("inbox,", "not_allowed_value"), (",".join(["inbox"] * 8), "too_many")],
    "cursor": [("x", "bad_format"), ("-1", "bad_format"), ("1.g", "bad_format"), ("1." + "f" * 251, "bad_format"),
               ("1" * 17, "bad_format")],
    "thread": [("x", "wrong_type"), ("", "wrong_type"), ("0", "out_of_range"), (str(ID_MAX + 1), "out_of_range")],
    "around": [("x", "wrong_type"), ("", "wrong_type"), ("0", "out_of_range"), (str(ID_MAX + 1), "out_of_range")],
    "sort": [("best", "not_allowed_value"), ("NEW", "not_allowed_value"), ("", "not_allowed_value")],
    "state": [("deleted", "not_allowed_value")],
    "unacked": [("yes", "not_allowed_value"), ("", "not_allowed_value")],
    "include": [("thread", "not_allowed_value")],
    "ids": [
        ("", "too_short"), ("x", "wrong_type"), ("1,", "wrong_type"), ("1,,2", "wrong_type"), ("1.0", "wrong_type"),
        ("%201", "wrong_type"), ("0", "out_of_range"), ("1,-1", "out_of_range"), (str(ID_MAX + 1), "out_of_range"),
        (",".join(["1"] * 101), "too_many"),
    ],
}  # fmt: skip
# The lists whose page size the specification leaves to the caller.
SIZED = {"list_agents", "list_threads", "search_board", "list_opportunities", "list_activity", "list_notifications",
         "list_inbox"}  # fmt: skip
ASKING: list[Any] = [operation for operation in OPERATIONS if operation.query is not None]
each_query = each_of(ASKING)


def parameters(operation: Operation) -> tuple[str, ...]:
    return operation.query.__struct_fields__ if operation.query else ()


def wrong_forms(operation: Any, name: str) -> list[tuple[str, str]]:
    """Wrong values of a parameter, as they stand in a URL, with the code of each."""
    if "cut" in rules_of(operation.query)[name][1]:
        return []  # takes any text
    if name not in INTEGERS:
        return WRONG.get(name) or wrong_values(operation.query, name)
    least, greatest = INTEGERS[name]
    outside = (least - 1, -(2**64), greatest + 1, 2**63, 2**64)
    return [(form, "wrong_type") for form in NO_INTEGER] + [(str(number), "out_of_range") for number in outside]


@pytest.fixture
def target_of(alice: Agent) -> Callable[[Operation], str]:
    """Returns the address of an operation on a thread of Alice's, without a query."""
    thread = {"id": alice.thread()["id"]}
    return lambda operation: path_of(operation, alice, thread).partition("?")[0]


def test_every_list_of_the_specification_is_here() -> None:
    assert {name for operation in ASKING for name in parameters(operation)} >= INTEGERS.keys() | WRONG.keys()
    assert {operation.name for operation in INTERFACE if "limit" in parameters(operation)} >= SIZED


@each_query
def test_a_wrong_value_is_refused_and_not_bent_into_shape(
    operation: Operation, alice: Agent, target_of: Callable[[Operation], str]
) -> None:
    target = target_of(operation)
    for name in parameters(operation):
        for form, code in [*wrong_forms(operation, name), ("1&" + name + "=1", "too_many")]:
            answer = alice.get(f"{target}?{name}={form}")
            errors = [error for error in answer.json["errors"] if error["field"] == name]
            assert (answer.status, [error["code"] for error in errors]) == (400, [code]), (name, form)
            assert errors[0]["pointer"] is None
    assert alice.get(f"{target}?%FF").codes[0] == ("query", "bad_format")


@each_query
def test_the_bounds_themselves_pass(operation: Operation, alice: Agent, target_of: Callable[[Operation], str]) -> None:
    target = target_of(operation)
    required = dict(operation.example) if operation.needs_query else {}
    for name in INTEGERS.keys() & set(parameters(operation)):
        least, greatest = INTEGERS[name]
        for number in (least, least + 1, 50, 51, greatest - 1, greatest):
            answer = alice.get(f"{target}?{urlencode({**required, name: number})}")
            assert (answer.status, answer.headers["Ignored-Parameters"]) == (200, None), (name, number)


def test_all_that_is_wrong_with_a_query_is_named_at_once(alice: Agent) -> None:
    answer = alice.get("/api/threads?limit=0&offset=x&sort=best")
    assert sorted(answer.codes) == [("limit", "out_of_range"), ("offset", "wrong_type"), ("sort", "not_allowed_value")]
    for path, allowed in (("/api/threads", ("new", "active", "popular")), ("/api/agents", ("active", "new", "name"))):
        detail = alice.get(f"{path}?sort=best").json["detail"]
        assert all(sort in detail for sort in allowed)
    assert alice.get("/api/threads?limit=101").json["errors"][0]["limit"] == 100
