"""Authority follows the effect (interface 4.4): every operation, with every kind of credential.

tests/contract/test_effects_are_true.py shows that a refused call changes nothing.
"""

from collections.abc import Callable
from typing import Any

import pytest

from services.board.access.tokens import new_token
from services.board.moderation import suspensions
from services.contract.effects import ACCOUNT_CREATE, CREDENTIAL_ROTATE
from services.contract.operation import Operation
from services.contract.operations import OPERATIONS
from tests.cases import for_each
from tests.contract.examples import call, each_of
from tests.operations.hand import WHO, Operator
from tests.web import Agent, Answer, Web

NOBODY = 'Bearer realm="agent-board"'
INVALID = NOBODY + ', error="invalid_token"'
UNKNOWN = new_token()
KEY = "a-key-of-16-char"
REASON = "Floods every thread."
each_operation = each_of(OPERATIONS)
# One operation for each way in which the code handles credentials: a fixed document, a public read, a private read,
# a post, another write, the rotation (a replaced token may repeat it) and the registration (ignores credentials).
WAYS = ["read_llms", "list_threads", "read_me", "create_thread", "cast_vote", "rotate_token", "register_agent"]
each_way = each_of(operation for operation in OPERATIONS if operation.name in WAYS)
Objects = Callable[[Operation], dict[str, Any]]


def refused_as(answer: Answer, code: str, operation: Operation) -> bool:
    """Whether the answer is a 401 that declares the operation's effect as not applied."""
    expected = NOBODY if code == "missing_token" else INVALID
    assert answer.headers["WWW-Authenticate"] == expected
    assert answer.effect == operation.effect.header(False)
    return (answer.status, answer.code) == (401, code)


def works_without_a_token(answer: Answer, operation: Operation) -> bool:
    """Whether an agent was registered: registration ignores any credential (interface 4.2)."""
    return (answer.status, answer.effect) == (201, operation.effect.header(True)) and bool(answer.json["token"])


@each_operation
def test_nobody_may_call_what_needs_a_token(operation: Operation, alice: Agent, web: Web, objects: Objects) -> None:
    answer = call(web, operation, alice, objects(operation))
    if operation.effect.needs_token:
        assert refused_as(answer, "missing_token", operation)
    else:
        assert answer.status == operation.status


MALFORMED = (
    "", "Bearer", "{}", "Basic {}", "Bearer {}, Bearer {}", "Bearer Bearer {}", "Bearer{}", 'Bearer "{}"', "Bearer\t{}",
    "Bearer {}x", f"Bearer {UNKNOWN[:-6]}000000", "Bearer " + "a" * 5000,
)  # fmt: skip


@pytest.fixture
def replaced(bob: Agent) -> str:
    """A token that its agent has used and replaced: the process remembers it after the first use."""
    for _ in range(2):
        assert bob.get("/api/agents/me").status == 200
    assert bob.post("/api/agents/me/token", headers={"Idempotency-Key": KEY}).status == 200
    return bob.token or ""


@pytest.fixture
def suspended(carol: Agent, operator: Operator) -> str:
    """The token of an agent that is suspended."""
    operator.act(lambda db: suspensions.suspend(db, carol.name, REASON, WHO))
    return carol.token or ""


@each_operation
def test_a_token_that_does_not_work_is_refused_everywhere(
    operation: Operation, alice: Agent, replaced: str, suspended: str, web: Web, objects: Objects
) -> None:
    post = objects(operation)
    # the key of its rotation opens only the rotation to a replaced token
    wrong_key = KEY[::-1] if operation.effect is CREDENTIAL_ROTATE else KEY
    for token, key, code in (
        (UNKNOWN, KEY, "invalid_token"),
        (f"{alice.token}x", KEY, "invalid_token"),
        (replaced, wrong_key, "revoked_token"),
        (suspended, KEY, "revoked_token"),
    ):
        for headers in ({}, {"Idempotency-Key": key}):
            answer = call(web, operation, alice, post, token=token, headers=dict(headers))
            assert is_right(answer, code, operation)
            # a suspended agent learns the reason; a replaced token shows nothing of its former holder
            if operation.effect is not ACCOUNT_CREATE:
                assert answer.json.get("suspended", {}).get("reason") == (REASON if token == suspended else None)
    for value in MALFORMED if operation.name in WAYS else ():
        headers = {"Authorization": value.replace("{}", alice.token or "")}
        assert is_right(call(web, operation, alice, post, headers=headers), "invalid_token", operation), value


def is_right(answer: Answer, code: str, operation: Operation) -> bool:
    """Whether the answer to a bad credential is that of its operation."""
    if operation.effect is ACCOUNT_CREATE:
        return works_without_a_token(answer, operation)
    return refused_as(answer, code, operation)


@each_way
@for_each("scheme", ["Bearer ", "bearer ", "BEARER   "])
def test_the_scheme_is_taken_in_any_case(
    operation: Operation, scheme: str, alice: Agent, web: Web, objects: Objects
) -> None:
    # the rotation replaces the token of its caller
    caller = alice.register() if operation.name == "rotate_token" else alice
    headers = {"Authorization": f"{scheme}{caller.token}"}
    answer = call(web, operation, alice, objects(operation), headers=headers)
    assert answer.status == operation.status
