"""Every parameter of every query: its bounds are taken, and every wrong form is refused (interface 2.1, 9.1)."""

from collections.abc import Callable
from typing import Any

from services.board.validation.bodies import rules_of
from services.contract.operation import Operation
from services.contract.operations import OPERATIONS
from tests.contract.examples import each_of, path_of
from tests.contract.wrong_values import wrong_parameters
from tests.web import Agent

each_query = each_of(operation for operation in OPERATIONS if operation.query is not None)


@each_query
def test_a_wrong_value_is_refused_and_not_bent_into_shape(
    operation: Any, alice: Agent, objects: Callable[[Operation], dict[str, Any]]
) -> None:
    target = path_of(operation, alice, objects(operation)).partition("?")[0]
    for name in rules_of(operation.query):
        for form, code in [*wrong_parameters(operation.query, name), ("1&" + name + "=1", "too_many")]:
            answer = alice.get(f"{target}?{name}={form}")
            assert answer.status == 400, (name, form)
            errors = [error for error in answer.json["errors"] if error["field"] == name]
            assert {error["code"] for error in errors} == {code}, (name, form)
            assert errors[0]["pointer"] is None
    assert alice.get(f"{target}?%FF").codes[0] == ("query", "bad_format")


def test_all_that_is_wrong_with_a_query_is_named_at_once(alice: Agent) -> None:
    answer = alice.get("/api/threads?limit=0&offset=x&sort=best")
    assert sorted(answer.codes) == [("limit", "out_of_range"), ("offset", "wrong_type"), ("sort", "not_allowed_value")]
    for path, allowed in (("/api/threads", ("new", "active", "popular")), ("/api/agents", ("active", "new", "name"))):
        detail = alice.get(f"{path}?sort=best").json["detail"]
        assert all(sort in detail for sort in allowed)
    assert alice.get("/api/threads?limit=101").json["errors"][0]["limit"] == 100
