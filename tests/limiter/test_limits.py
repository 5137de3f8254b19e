"""The limits as agents see them (interface 6): which calls count, against which agent, and the form of a refusal."""

from typing import Any

import http_sf
import pytest

from services.board.access.tokens import new_token
from services.contract.checks import agent_key
from services.contract.limits import POSTS
from services.contract.operation import Operation
from services.contract.operations import OPERATIONS
from tests.contract.examples import belongings, call
from tests.limiter.posting import BoardRates
from tests.limiter.processes import PatientLimiter
from tests.metrics import metric
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Agent, Answer, Web


def left(answer: Answer, policy: str) -> tuple[int, int]:
    """Return how many calls a limit leaves and in how many seconds there is one more, from an answer's fields."""
    listed: Any = http_sf.parse(answer.headers["RateLimit"].encode(), tltype="list")
    ((name, parameters),) = listed
    assert str(name) == policy
    assert answer.headers["X-RateLimit-Remaining"] == str(parameters["r"])
    return parameters["r"], parameters["t"]


def check_refusal(answer: Answer, policy: str, quota: int, words: str | None = None, window: int = 60) -> None:
    """Check that a refusal contains what an agent needs in order to wait."""
    assert (answer.status, answer.code) == (429, "rate_limited")
    problem = answer.json
    assert problem["violated-policies"] == [policy]
    assert words is None or problem["detail"] == words
    assert answer.effect.endswith("applied=?0") or "applied" not in answer.effect
    remaining, reset = left(answer, policy)
    assert remaining == 0
    # it should ask for at least 60 s, spread over 15, and never for less than until a slot is free
    after = int(answer.headers["Retry-After"])
    assert problem["retry_after"] == after
    assert max(60, reset) <= after <= max(60, reset) + 15
    assert answer.headers["RateLimit-Policy"] == f'"{policy}";q={quota};w={window}'
    assert answer.headers["X-RateLimit-Limit"] == str(quota)
    assert answer.headers["X-RateLimit-Reset"].isdecimal()


LIMITED = [operation for operation in OPERATIONS if operation.limit is not None]


@pytest.mark.parametrize("operation", LIMITED, ids=lambda operation: str(operation.name))
def test_every_limited_operation_returns_the_rest_of_its_quota_and_then_refuses(
    limiter: PatientLimiter, rates: BoardRates, alice: Agent, operator: Operator, operation: Operation
) -> None:
    thread = alice.thread()
    assert operation.limit is not None
    on = [thread | belongings(operation, alice, operator.deliver) for _ in range(3)]
    # calls of the fixtures count as well
    policy, quota = operation.limit.name, 2
    used = 1 if operation.limit is POSTS else 0
    limiter.forget("127.0.0.1")
    limiter.forget(agent_key(alice.name), "account")
    rates.set(policy, quota)
    for number in range(used, quota):
        answer = call(alice, operation, alice, on[number])
        assert (answer.status, answer.headers["RateLimit-Policy"]) == (operation.status, f'"{policy}";q={quota};w=60')
        assert left(answer, policy)[0] == quota - 1 - number
        alice.token = answer.json["token"] if operation.name == "rotate_token" else alice.token
    refused = call(alice, operation, alice, on[2])
    check_refusal(refused, policy, quota)
    assert refused.effect == operation.effect.header(False)


def register(web: Web, **more: Any) -> Answer:
    """Register an agent of any free name."""
    return web.post("/api/agents/register", {"name": f"dora-{next(names)}"}, **more)


names = iter(range(10**6))


def test_too_many_refused_registrations_are_429_instead_of_400(
    limiter: PatientLimiter, rates: BoardRates, alice: Agent, web: Web
) -> None:
    limiter.forget("127.0.0.1")
    rates.set("refused_registrations", 2)
    taken = {"name": alice.name}
    # it should count every refusal that takes a look at the name, and no other
    assert web.post("/api/agents/register", {"name": "?"}).code == "validation_failed"
    assert web.post("/api/agents/register", taken).code == "name_taken"
    guess = web.post("/api/agents/register", taken, headers={"Idempotency-Key": "a-guess-of-16-ch"})
    assert guess.code == "name_taken"
    words = "At most 2 refused registrations per address in any 60 seconds."
    check_refusal(web.post("/api/agents/register", taken), "refused_registrations", 2, words)
    # it should not stop a registration of a free name
    assert register(web).status == 201


def test_a_registration_while_it_is_closed_counts_only_if_it_may_be_a_rescue(
    limiter: PatientLimiter, rates: BoardRates, web: Web, operator: Operator
) -> None:
    limiter.forget("127.0.0.1")
    rates.set("registrations", 1)
    rates.set("refused_registrations", 1)
    assert register(web).status == 201
    operator.set_registration(False)
    try:
        assert [register(web).code for _ in range(3)] == ["registration_closed"] * 3
        assert limiter.counted("refused_registrations", "127.0.0.1") == 0
        limiter.forget("127.0.0.1", "registrations")
        key = {"Idempotency-Key": "a-key-of-16-char"}
        assert [register(web, headers=key).code for _ in range(2)] == ["registration_closed", "rate_limited"]
    finally:
        operator.set_registration(True)


def test_a_registration_that_the_whole_board_refuses_counts_as_refused(
    limiter: PatientLimiter, rates: BoardRates, web: Web
) -> None:
    limiter.forget("127.0.0.1")
    rates.set("refused_registrations", 1)
    assert register(web).status == 201
    rates.set("board_registrations", 1, 3600)
    check_refusal(register(web), "board_registrations", 1, window=3600)
    check_refusal(register(web), "refused_registrations", 1)


def test_the_address_is_the_one_that_a_trusted_proxy_reports(
    limiter: PatientLimiter, rates: BoardRates, other_api: ApiProcess
) -> None:
    rates.set("registrations", 1)
    with Web(other_api.url) as web:

        def status(forwarded: str) -> int:
            return register(web, headers={"X-Forwarded-For": forwarded}).status

        assert status("192.0.2.7") == 201
        assert status("203.0.113.1, 192.0.2.7, 10.1.2.3") == 429
        assert status("192.0.2.7, 203.0.113.2") == 201


def test_too_many_bad_tokens_are_429_instead_of_401(
    limiter: PatientLimiter, rates: BoardRates, alice: Agent, web: Web
) -> None:
    rates.set("failed_logins", 3)
    old = alice.token
    alice.token = alice.post("/api/agents/me/token").json["token"]
    calls = [("GET", "/api/agents/me"), ("GET", "/api/threads"), ("POST", "/api/threads")]
    # it should count unknown and revoked ones on every route
    for (method, path), token in zip(calls, (new_token(), old, new_token()), strict=True):
        body = {"title": "t", "body": "b"} if method == "POST" else None
        assert web.call(method, path, body, token=token).status == 401
    for method, path in calls:
        refused = web.call(method, path, {"title": "t", "body": "b"} if method == "POST" else None, token=new_token())
        words = "At most 3 calls with a bad token per address in any 60 seconds."
        check_refusal(refused, "failed_logins", 3, words)
    # it should refuse no caller with a good token, or with none
    assert alice.get("/api/agents/me").status == 200
    assert alice.thread()
    assert web.get("/api/threads").status == 200
    assert web.get("/api/agents/me").status == 401


def test_calls_of_a_suspended_agent_do_not_count_as_bad_tokens(
    limiter: PatientLimiter, rates: BoardRates, alice: Agent, web: Web, operator: Operator
) -> None:
    rates.set("failed_logins", 2)
    operator.suspend(alice.name)
    calls = [("GET", "/api/agents/me"), ("GET", "/api/home"), ("POST", "/api/threads"), ("GET", "/api/threads")]
    for method, path in calls * 2:
        refused = alice.call(method, path, {"title": "t", "body": "b"} if method == "POST" else None)
        assert (refused.status, refused.code) == (401, "revoked_token")
        assert refused.json["suspended"]
    # it should count none of them against those who share its address, nor one that was made after bad tokens
    assert [web.get("/api/agents/me", token=new_token()).status for _ in range(3)] == [401, 401, 429]
    limiter.forget("127.0.0.1")
    assert alice.get("/api/agents/me").status == 401
    assert [web.get("/api/agents/me", token=new_token()).status for _ in range(3)] == [401, 401, 429]


def test_wrong_attempts_at_the_rescue_of_a_token_are_counted(
    limiter: PatientLimiter, rates: BoardRates, alice: Agent, web: Web
) -> None:
    rates.set("failed_logins", 3)
    rotation = "/api/agents/me/token"
    alice.post(rotation, headers={"Idempotency-Key": "a-key-of-16-char"})
    guesses = [alice.post(rotation, headers={"Idempotency-Key": f"a-guess-of-16-{n:02}"}) for n in range(4)]
    assert [answer.status for answer in guesses] == [401, 401, 401, 429]


def test_guesses_are_refused_before_the_look_up(
    limiter: PatientLimiter, rates: BoardRates, alice: Agent, web: Web, api: ApiProcess
) -> None:
    rates.set("failed_logins", 2)
    old = alice.token
    alice.token = alice.post("/api/agents/me/token").json["token"]
    guesses = [web.get("/api/agents/me", token=new_token()).status for _ in range(3)]
    assert guesses == [401, 401, 429]
    before = metric(api, "agent_board_token_look_ups_total")
    for path in ("/api/agents/me", "/api/threads"):
        check_refusal(web.get(path, token=new_token()), "failed_logins", 2)
    assert web.post("/api/threads", {"title": "t", "body": "b"}, token=new_token()).status == 429
    assert metric(api, "agent_board_token_look_ups_total") == before
    # a token that this process has issued should work, a revoked one should be looked up once at most
    assert alice.get("/api/agents/me").status == 200
    assert [web.get("/api/agents/me", token=old).status for _ in range(3)] == [429] * 3
    assert metric(api, "agent_board_token_look_ups_total") <= before + 2


def test_values_that_cannot_be_tokens_are_not_counted(limiter: PatientLimiter, rates: BoardRates, web: Web) -> None:
    rates.set("failed_logins", 1)
    for value in ("Bearer nonsense", "Basic YTpi", "Bearer agb_" + "A" * 49, "Bearer"):
        for _ in range(3):
            assert web.get("/api/agents/me", headers={"Authorization": value}).status == 401
