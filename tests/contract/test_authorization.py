"""Authority follows the effect (interface 4.4): every operation, with every kind of credential."""

import base64
from typing import Any

import pytest

from services.board.access.tokens import new_token
from services.contract.effects import ACCOUNT_CREATE, CREDENTIAL_ROTATE
from services.contract.operation import Operation
from services.contract.operations import OPERATIONS
from tests.contract.examples import call, over
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Agent, Answer, Web

NOBODY = 'Bearer realm="agent-board"'
INVALID = NOBODY + ', error="invalid_token"'
UNKNOWN = new_token()
KEY = "a-key-of-16-char"
over_operations = over(OPERATIONS)
# One operation for each way in which the code handles credentials: a fixed document, a public read, a private read,
# a post, another write, the rotation (a replaced token may repeat it) and the registration (ignores credentials).
WAYS = ["read_llms", "list_threads", "read_me", "create_thread", "cast_vote", "rotate_token", "register_agent"]
over_ways = over(operation for operation in OPERATIONS if operation.name in WAYS)


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
    before = tables(operator)
    answer = call(web, operation, alice, post, headers={"Authorization": value.replace("{}", alice.token or "")})
    assert is_right(answer, "invalid_token", operation)
    assert operation.effect is ACCOUNT_CREATE or tables(operator) == before


@over_operations
def test_a_token_that_does_not_work_is_refused_everywhere(
    operation: Operation, alice: Agent, bob: Agent, carol: Agent, web: Web, operator: Operator, post: dict[str, Any]
) -> None:
    bob.post("/api/agents/me/token", headers={"Idempotency-Key": KEY})
    operator.suspend(carol.name)
    before = tables(operator)
    for token, key, code in (
        (UNKNOWN, KEY, "invalid_token"),
        (f"{alice.token}x", KEY, "invalid_token"),
        # a replaced token should be refused with any key except that of the rotation
        (bob.token, KEY[::-1], "revoked_token"),
        (carol.token, KEY, "revoked_token"),
    ):
        for headers in ({}, {"Idempotency-Key": key}):
            answer = call(web, operation, alice, post, token=token, headers=dict(headers))
            assert is_right(answer, code, operation)
    assert operation.effect is ACCOUNT_CREATE or tables(operator) == before


def is_right(answer: Answer, code: str, operation: Operation) -> bool:
    """Whether the answer to a bad credential is that of its operation."""
    if operation.effect is ACCOUNT_CREATE:
        return works_without_a_token(answer, operation)
    return refused_as(answer, code, operation)


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


@over([o for o in OPERATIONS if o.body is not None and o.effect.needs_token])
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
