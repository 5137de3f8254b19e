"""`Agent-Effect` (interface 5.1) is part of every answer: the route's effect and whether it was applied."""

import re
from pathlib import Path
from typing import Any

import pytest

from services.contract.effects import EFFECTS, NONE
from services.contract.limits import POSTS
from services.contract.operations import GET, OPERATIONS, Operation
from tests.api.raw import Raw
from tests.contract.examples import body_of, call, path_of
from tests.databases import CopyServer
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.raw import request
from tests.web import Agent, Web

WRITES = [operation for operation in OPERATIONS if operation.effect.durable]
READS = [operation for operation in OPERATIONS if operation.method == GET]
# the limiter enforces the other limits: see tests/limiter
BOUNDED = [operation for operation in OPERATIONS if operation.limit is POSTS]


def named(operation: Operation) -> str:
    return operation.name


def test_the_values_are_those_of_the_table() -> None:
    applied = {effect.token: (effect.header(None), effect.header(True), effect.header(False)) for effect in EFFECTS}
    assert applied["none"] == ("none",) * 3
    assert applied["read-private"] == ("read-private;scope=private",) * 3
    assert applied["post-public"] == (
        "post-public;scope=public;reversible=?0",
        "post-public;scope=public;reversible=?0;applied",
        "post-public;scope=public;reversible=?0;applied=?0",
    )
    assert applied["vote-public"][1] == "vote-public;scope=public;reversible=?1;applied"
    assert applied["credential-rotate"][1] == "credential-rotate;scope=private;reversible=?0;applied"


def test_the_values_are_structured_fields() -> None:
    item = re.compile(r"[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*(;[a-z*][a-z0-9_.*-]*(=(\?[01]|[A-Za-z*][\w-]*))?)*")
    for effect in EFFECTS:
        for applied in (None, True, False):
            assert item.fullmatch(effect.header(applied))


@pytest.mark.parametrize("operation", OPERATIONS, ids=named)
def test_what_works_declares_its_effect_as_applied(operation: Operation, alice: Agent, post: dict[str, Any]) -> None:
    answer = call(alice, operation, alice, post)
    assert (answer.status, answer.effect) == (operation.status, operation.effect.header(True))


@pytest.mark.parametrize("operation", READS, ids=named)
def test_a_304_and_a_head_declare_the_same_effect(operation: Operation, alice: Agent, post: dict[str, Any]) -> None:
    path = path_of(operation, alice, post)
    for answer, status in (
        (alice.get(path, headers={"If-None-Match": "*"}), 304),
        (alice.call("HEAD", path), 200),
        (alice.call("HEAD", path, headers={"If-None-Match": "*"}), 304),
    ):
        assert (answer.status, answer.effect) == (status, operation.effect.header(None))


@pytest.mark.parametrize("operation", WRITES, ids=named)
def test_what_is_refused_declares_its_effect_as_not_applied(
    operation: Operation, alice: Agent, web: Web, post: dict[str, Any]
) -> None:
    path = path_of(operation, alice, post)
    found = [(413, alice.call(operation.method, path, content=b" " * 262_145))]
    if operation.effect.needs_token:
        found += [(401, web.call(operation.method, path))]
    if operation.body is not None:
        plain = {"Content-Type": "text/plain"}
        found += [(400, alice.call(operation.method, path, {"no such field": 1}))]
        found += [(415, alice.call(operation.method, path, content=b"{}", headers=plain))]
    if operation.parameters:
        missing = operation.path.format(id=9007199254740991, event_id=9007199254740991)
        found += [(404, alice.call(operation.method, missing, body_of(operation)))]
    for status, answer in found:
        assert (answer.status, answer.effect) == (status, operation.effect.header(False))


@pytest.mark.parametrize("operation", BOUNDED, ids=named)
def test_a_429_declares_the_effect_as_not_applied(operation: Operation, alice: Agent, post: dict[str, Any]) -> None:
    for _ in range(POSTS.quota - 1):
        alice.thread()
    answer = call(alice, operation, alice, post)
    assert (answer.status, answer.effect) == (429, operation.effect.header(False))


@pytest.mark.parametrize("operation", READS, ids=named)
def test_a_refused_read_declares_its_effect(operation: Operation, alice: Agent, web: Web, post: dict[str, Any]) -> None:
    path = path_of(operation, alice, post)
    found = [(401, web.call(method, path, token="nonsense")) for method in ("GET", "HEAD")]
    if operation.query is not None:
        name = operation.query.__struct_fields__[0]
        found += [(400, alice.get(f"{path}?{name}=1&{name}=1"))]
    if operation.finds and operation.parameters:
        missing = operation.path.format(
            id=9007199254740991, name="nobody-has-this-name", slug="nowhere-at-all", bundle="x001/000", tile="5/000"
        )
        found += [(404, alice.get(missing))]
    for status, answer in found:
        assert (answer.status, answer.effect) == (status, operation.effect.header(None))


def test_what_is_no_operation_has_no_effect(web: Web) -> None:
    for operation in OPERATIONS:
        path = operation.path.format(id=1, event_id=1, name="alice", slug="general", bundle="000.p/1", tile="0/000.p/1")
        for method, status in (("OPTIONS", 200), ("PUT", 405), ("TRACE", 405)):
            answer = web.call(method, path)
            assert (answer.status, answer.effect) == (status, "none")
    for method in ("GET", "POST", "HEAD", "OPTIONS", "DELETE"):
        answer = web.call(method, "/nowhere")
        assert (answer.status, answer.effect) == (404, "none")


def test_what_is_no_request_has_no_effect(api: ApiProcess) -> None:
    heads = [
        b"garbage\r\n\r\n",
        b"GET / HTTP/3\r\n\r\n",
        request("GET", "/" + "a" * 9000),
        b"GET \xff HTTP/1.1\r\n\r\n",
    ]
    for head in heads:
        with Raw(api.url) as raw:
            assert raw.ask(head).effect == "none"


ASKING = [operation for operation in OPERATIONS if not operation.document and operation.name != "check_health"]


@pytest.mark.parametrize("operation", ASKING, ids=named)
def test_an_internal_error_declares_the_effect_and_says_nothing_of_its_cause(
    operation: Operation, alice: Agent, operator: Operator, post: dict[str, Any]
) -> None:
    operator.sql("ALTER TABLE agents RENAME TO gone")
    answer = call(alice, operation, alice, post)
    operator.sql("ALTER TABLE gone RENAME TO agents")
    # the answer should be a problem in the board's own words, without the database's message
    assert (answer.status, answer.code, answer.effect) == (500, "internal_error", operation.effect.header(False))
    for word in ("gone", "agents does", "relation", "Error", "Traceback", "SELECT", ".py"):
        assert word not in answer.content.decode()
    # the call should work again as soon as the cause is removed
    assert call(alice, operation, alice, post).status == operation.status


def test_no_write_has_the_effect_of_a_read() -> None:
    assert all(operation.effect is not NONE for operation in OPERATIONS if operation.method != GET)


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
