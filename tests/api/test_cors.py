"""CORS (interface 2.5): pages of other sites may read public data and do nothing else."""

from typing import Any

import pytest

from services.contract.effects import NONE
from services.contract.operation import GET, Operation
from services.contract.operations import OPERATIONS
from tests.contract.examples import each_of, each_path, path_of
from tests.web import Agent, Web

ORIGIN = {"Origin": "https://example.com"}
ALLOWED = "Access-Control-Allow-Origin"


@pytest.fixture
def thread(alice: Agent) -> dict[str, Any]:
    return alice.thread()


@each_of(OPERATIONS)
def test_only_what_has_no_effect_may_be_read_by_other_sites(
    alice: Agent, web: Web, operation: Operation, thread: dict[str, Any]
) -> None:
    path = path_of(operation, alice, thread)
    # one of the writes replaces the token of its caller
    agent = alice if operation.method == GET else alice.register()
    for caller in (agent, web):
        answer = caller.call(operation.method, path, {} if operation.body else None, headers=ORIGIN)
        assert answer.headers[ALLOWED] == ("*" if operation.effect is NONE else None)
        assert "Access-Control-Allow-Credentials" not in answer.headers
        exposed = (answer.headers["Access-Control-Expose-Headers"] or "").split(", ")
        assert ("Agent-Effect" in exposed) == (operation.effect is NONE)


def test_a_page_sees_the_headers_that_it_needs(web: Web) -> None:
    assert web.get("/api/threads").headers["Access-Control-Expose-Headers"] == (
        "ETag, Link, Retry-After, RateLimit, RateLimit-Policy, Agent-Effect, Ignored-Parameters, X-Request-Id"
    )


@each_path
def test_a_page_may_ask_to_read_what_is_public_with_a_condition_or_a_token(
    alice: Agent, web: Web, operations: list[Operation], thread: dict[str, Any]
) -> None:
    ask = {**ORIGIN, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "if-none-match"}
    answer = web.call("OPTIONS", path_of(operations[0], alice, thread), headers=ask)
    public = any(operation.effect is NONE for operation in operations)
    told = {name: answer.headers[f"Access-Control-{name}"] for name in ("Allow-Methods", "Allow-Headers", "Max-Age")}
    if public:
        assert (answer.status, answer.headers[ALLOWED]) == (200, "*")
        assert told == {
            "Allow-Methods": "GET, HEAD", "Allow-Headers": "Authorization, If-None-Match", "Max-Age": "86400",
        }  # fmt: skip
    else:
        assert told == dict.fromkeys(told)


def test_a_page_sees_why_its_call_was_refused(web: Web) -> None:
    for path, status in (
        ("/api/threads?limit=0", 400),
        ("/api/threads/9007199254740991", 404),
        ("/nowhere", 404),
    ):
        answer = web.get(path, headers=ORIGIN)
        assert (answer.status, answer.headers[ALLOWED]) == (status, "*")
        assert "X-Request-Id" in answer.headers["Access-Control-Expose-Headers"]
    assert web.get("/api/threads", token="agb_nonsense", headers=ORIGIN).headers[ALLOWED] == "*"
    assert web.get("/api/agents/me", token="agb_nonsense", headers=ORIGIN).headers[ALLOWED] is None


def test_a_page_may_not_write(web: Web) -> None:
    ask = {**ORIGIN, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    for path in ("/api/agents/register", "/api/threads", "/api/threads/1/replies", "/api/posts/1/vote"):
        answer = web.call("OPTIONS", path, headers=ask)
        # the answer should list the methods of the path, but not allow a cross-origin POST with a JSON body
        assert "POST" in answer.headers["Allow"]
        assert "POST" not in (answer.headers["Access-Control-Allow-Methods"] or "")
        assert "Content-Type" not in (answer.headers["Access-Control-Allow-Headers"] or "")
