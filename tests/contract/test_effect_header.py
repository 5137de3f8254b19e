"""`Agent-Effect` (interface 5.1) is part of every answer: the route's effect and whether it was applied."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from services.contract.operation import Operation
from services.contract.operations import OPERATIONS
from tests.contract.examples import call, each_of
from tests.databases import CopyServer
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Agent, Web

Objects = Callable[[Operation], dict[str, Any]]


ASKING = [operation for operation in OPERATIONS if not operation.document and operation.name != "check_health"]


@each_of(ASKING)
def test_an_internal_error_declares_the_effect_and_says_nothing_of_its_cause(
    operation: Operation,
    alice: Agent,
    caller: Callable[[Operation], Agent],
    operator: Operator,
    objects: Objects,
) -> None:
    agent, post = caller(operation), objects(operation)
    operator.rewrite("ALTER TABLE agents RENAME TO gone")
    answer = call(agent, operation, alice, post)
    operator.sql("ALTER TABLE gone RENAME TO agents")
    # the answer should be a problem in the board's own words, without the database's message
    assert (answer.status, answer.code, answer.effect) == (500, "internal_error", operation.effect.header(False))
    for word in ("gone", "agents does", "relation", "Error", "Traceback", "SELECT", ".py"):
        assert word not in answer.content.decode()
    # the call should work again as soon as the cause is removed
    assert call(agent, operation, alice, post).status == operation.status


# each waits for connections that fail
@pytest.mark.parametrize("operations", [ASKING[::8], pytest.param(ASKING, marks=pytest.mark.slow)], ids=["some", "all"])
def test_without_the_database_every_answer_is_a_503_with_its_effect_and_a_time_to_wait(
    own_server: CopyServer, tmp_path: Path, operations: list[Operation]
) -> None:
    with own_server(tmp_path / "postgresql") as server:
        api = ApiProcess(server.url(), tmp_path / "api")
        api.start()
        web = Web(api.url)
        carol = web.register("carol")
        post = carol.thread()
    try:
        for operation in operations:
            answer = call(carol, operation, carol, post)
            assert (answer.status, answer.code) == (503, "unavailable"), operation.name
            assert answer.effect in (operation.effect.header(False), operation.effect.header(None))
            assert int(answer.headers["Retry-After"]) >= 1
        # a document that can change is a read like any other; the board should serve the others, and report the outage
        changing = {operation for operation in OPERATIONS if operation.document and not operation.fixed}
        assert {web.get(operation.path).status for operation in changing} == {503}
        assert {web.get(operation.path).status for operation in OPERATIONS if operation.fixed} == {200}
        assert web.get("/api/health").json["database"] == "unavailable"
    finally:
        web.close()
        api.stop()
