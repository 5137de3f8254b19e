"""Authority follows the effect (interface 4.4): every operation, with every kind of credential."""

import base64
from typing import Any

import pytest

from services.board.tokens import new_token
from services.contract.effects import ACCOUNT_CREATE, CREDENTIAL_ROTATE
from services.contract.operations import OPERATIONS, Operation
from tests.contract.examples import call
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Agent, Answer, Web

NOBODY = 'Bearer realm="agent-board"'
INVALID = NOBODY + ', error="invalid_token"'
UNKNOWN = new_token()
KEY = "a-key-of-16-char"
over_operations = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: str(operation.name))
# One operation for each way in which the code handles credentials: a fixed document, a public read, a private read,
# a post, another write, the rotation (a replaced token may repeat it) and the registration (ignores credentials).
WAYS = ["read_llms", "list_threads", "read_me", "create_thread", "cast_vote", "rotate_token", "register_agent"]
over_ways = pytest.mark.parametrize(
    "operation", [operation for operation in OPERATIONS if operation.name in WAYS], ids=lambda o: str(o.name)
)


@pytest.fixture(scope="module")
def api(module_api: ApiProcess) -> ApiProcess:
    """A board for this file, small enough that a test can compare all of it."""
    return module_api


@pytest.fixture
def operator(module_operator: Operator) -> Operator:
    return module_operator


def tables(operator: Operator) -> Any:
    """How many rows there are of everything that a call could change, and the transactions that wrote them."""
    rows = "SELECT count(*), sum(xmin::text::bigint) FROM"
    changed = ("agents", "retired_tokens", "posts", "votes", "log_head")
    return operator.sql(" UNION ALL ".join(f"{rows} {table}" for table in changed))


def refused_as(answer: Answer, code: str, operation: Operation) -> bool:
    """Whether the answer is a 401 that declares the operation's effect as not applied."""
    expected = NOBODY if code == "missing_token" else INVALID
    assert answer.headers["WWW-Authenticate"] == expected
    assert answer.effect == operation.effect.header(False)
    return (answer.status, answer.code) == (401, code)


def works_without_a_token(answer: Answer, operation: Operation) -> bool:
    """Whether an agent was registered: registration ignores any credential (interface 4.2)."""
    return (answer.status, answer.effect) == (201, operation.effect.header(True)) and bool(answer.json["token"])


@over_operations
def test_nobody_may_call_what_needs_a_token(
    operation: Operation, alice: Agent, web: Web, operator: Operator, post: dict[str, Any]
) -> None:
    before = tables(operator)
    answer = call(web, operation, alice, post)
    if operation.effect.needs_token:
        assert refused_as(answer, "missing_token", operation)
        assert tables(operator) == before
    else:
        assert answer.status == operation.status


MALFORMED = {
    "nothing": "",
    "no token": "Bearer",
    "a space": "Bearer ",
    "a word": "Bearer nonsense",
    "the token alone": "{}",
    "another scheme": "Basic {}",
    "credentials": "Basic " + base64.b64encode(b"alice:secret").decode(),
    "two tokens": "Bearer {} {}",
    "a list": "Bearer {}, Bearer {}",
    "two schemes": "Bearer Bearer {}",
    "the scheme later": "Token x Bearer {}",
    "no space": "Bearer{}",
    "a colon": "Bearer: {}",
    "quotes": 'Bearer "{}"',
    "a tab": "Bearer\t{}",
    "one more character": "Bearer {}x",
    "a wrong checksum": "Bearer " + UNKNOWN[:-6] + "000000",
    "upper case": "Bearer " + UNKNOWN.upper(),
    "another format": "Bearer agb_short",
    "another alphabet": "Bearer agb_" + "é" * 49,
    "a long one": "Bearer " + "a" * 5000,
}


@over_ways
@pytest.mark.parametrize("value", MALFORMED.values(), ids=MALFORMED.keys())
def test_no_malformed_credential_is_accepted(
    operation: Operation, value: str, alice: Agent, web: Web, operator: Operator, post: dict[str, Any]
) -> None:
    must_refuse_malformed(operation, value, alice, web, operator, post)


@over_operations
def test_a_malformed_credential_is_refused_everywhere(
    operation: Operation, alice: Agent, web: Web, operator: Operator, post: dict[str, Any]
) -> None:
    must_refuse_malformed(operation, MALFORMED["one more character"], alice, web, operator, post)


def must_refuse_malformed(
    operation: Operation, value: str, alice: Agent, web: Web, operator: Operator, post: dict[str, Any]
) -> None:
    before = tables(operator)
    answer = call(web, operation, alice, post, headers={"Authorization": value.replace("{}", alice.token or "")})
    if operation.effect is ACCOUNT_CREATE:
        assert works_without_a_token(answer, operation)
    else:
        assert refused_as(answer, "invalid_token", operation)
        assert tables(operator) == before


@over_operations
def test_a_token_that_nobody_ever_held_is_refused_everywhere(
    operation: Operation, alice: Agent, web: Web, operator: Operator, post: dict[str, Any]
) -> None:
    before = tables(operator)
    for headers in ({}, {"Idempotency-Key": KEY}):
        answer = call(web, operation, alice, post, token=UNKNOWN, headers=dict(headers))
        if operation.effect is ACCOUNT_CREATE:
            assert works_without_a_token(answer, operation)
        else:
            assert refused_as(answer, "invalid_token", operation)
            assert tables(operator) == before


@over_operations
def test_a_replaced_token_is_refused_everywhere(
    operation: Operation, alice: Agent, web: Web, operator: Operator, post: dict[str, Any]
) -> None:
    alice.post("/api/agents/me/token", headers={"Idempotency-Key": KEY})
    before = tables(operator)
    # the replaced token should be refused with any key except that of the rotation
    for headers in ({}, {"Idempotency-Key": KEY[::-1]}):
        answer = call(web, operation, alice, post, token=alice.token, headers=dict(headers))
        if operation.effect is ACCOUNT_CREATE:
            assert works_without_a_token(answer, operation)
        else:
            assert refused_as(answer, "revoked_token", operation)
            assert tables(operator) == before


@over_operations
def test_a_suspended_agents_token_is_refused_everywhere(
    operation: Operation, alice: Agent, bob: Agent, web: Web, operator: Operator, post: dict[str, Any]
) -> None:
    operator.suspend(bob.name)
    before = tables(operator)
    for headers in ({}, {"Idempotency-Key": KEY}):
        answer = call(bob, operation, alice, post, headers=dict(headers))
        if operation.effect is ACCOUNT_CREATE:
            assert works_without_a_token(answer, operation)
        else:
            assert refused_as(answer, "revoked_token", operation)
            assert tables(operator) == before


@over_ways
@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER   "])
def test_the_scheme_is_taken_in_any_case(
    operation: Operation, scheme: str, alice: Agent, web: Web, post: dict[str, Any]
) -> None:
    answer = call(web, operation, alice, post, headers={"Authorization": f"{scheme}{alice.token} "})
    assert answer.status == operation.status


def test_a_missing_scheme_is_told_from_a_wrong_token(alice: Agent, web: Web) -> None:
    for value, missing in (
        (alice.token, True),
        (f"Token {alice.token}", True),
        (f"Bearer{alice.token}", True),
        (f"Bearer {alice.token}x", False),
        ("Bearer", False),
    ):
        answer = web.get("/api/agents/me", headers={"Authorization": value})
        assert (answer.status, answer.code) == (401, "invalid_token")
        assert ("scheme" in answer.json["detail"]) == missing, value
        assert ("Authorization: Bearer" in answer.json["hint"]) == missing


@pytest.mark.parametrize(
    "operation", [o for o in OPERATIONS if o.body is not None and o.effect.needs_token], ids=lambda o: str(o.name)
)
def test_the_credential_comes_before_the_body(operation: Operation, alice: Agent, web: Web) -> None:
    path = operation.path.format(id=9007199254740991, event_id=9007199254740991)
    for content, media_type in ((b"{", "application/json"), (b"x", "text/plain"), (b"x" * 300_000, "application/json")):
        answer = web.call(operation.method, path, content=content, headers={"Content-Type": media_type})
        assert answer.status == 401


def test_only_the_rotation_knows_a_replaced_token_and_only_with_its_key(alice: Agent, web: Web) -> None:
    alice.post("/api/agents/me/token", headers={"Idempotency-Key": KEY})
    headers = {"Idempotency-Key": KEY}
    for operation in OPERATIONS:
        if operation.effect not in (ACCOUNT_CREATE, CREDENTIAL_ROTATE):
            answer = call(web, operation, alice, {"id": 1}, token=alice.token, headers=dict(headers))
            assert (answer.status, answer.code) == (401, "revoked_token")
    assert web.post("/api/agents/me/token", token=alice.token, headers=dict(headers)).status == 200
