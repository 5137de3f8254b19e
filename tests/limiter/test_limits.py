"""The limits as agents see them (interface 6): which calls count, against which agent, and the form of a refusal."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import asyncpg
import http_sf
import pytest

from services.board.access.tokens import new_token
from services.board.agents import registration
from services.contract.limits import LIMITS, POSTS
from services.contract.operation import Operation
from services.contract.operations import OPERATIONS
from tests.contract.examples import belongings, call
from tests.limiter.posting import BoardRates, tighten
from tests.limiter.processes import PatientLimiter
from tests.load import Client, enlist, together
from tests.metrics import metric
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.waiting import wait_until
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
    limiter.operate("DELETE", "/windows/address/127.0.0.1")
    limiter.operate("DELETE", f"/windows/agent/{alice.name}?policy=account")
    rates.set(policy, quota)
    for number in range(used, quota):
        answer = call(alice, operation, alice, on[number])
        assert (answer.status, answer.headers["RateLimit-Policy"]) == (operation.status, f'"{policy}";q={quota};w=60')
        assert left(answer, policy)[0] == quota - 1 - number
        alice.token = answer.json["token"] if operation.name == "rotate_token" else alice.token
    refused = call(alice, operation, alice, on[2])
    check_refusal(refused, policy, quota)
    assert refused.effect == operation.effect.header(False)


def vote(agent: Agent, thread: dict[str, Any], value: int = 1) -> Answer:
    return agent.post(f"/api/posts/{thread['id']}/vote", {"value": value})


def test_acknowledgements_are_not_limited(
    limiter: PatientLimiter, alice: Agent, bob: Agent, operator: Operator, api: ApiProcess
) -> None:
    bob.subscribe("community", "acks")
    made = [alice.thread(community="acks")["id"] for _ in range(2)]
    operator.deliver()
    asked = metric(api, "agent_board_limiter_request_checks_sum")
    for path, body in ((f"/api/inbox/{made[0]}/ack", None), ("/api/inbox/ack", {"up_to": made[1]})):
        answer = bob.post(path, body)
        assert (answer.status, answer.headers["RateLimit"]) == (200, None)
    # it should not even ask the limiter
    assert metric(api, "agent_board_limiter_request_checks_sum") == asked


def until_counted(limiter: PatientLimiter, agent: Agent, policy: str, count: int) -> None:
    """Return when this many calls of an agent count; unused reservations are released after a short delay."""

    def counted() -> bool:
        windows = limiter.operate("GET", f"/windows/agent/{agent.name}")[1]
        (calls,) = (window["calls"] for window in windows if window["policy"] == policy)
        return len(calls) == count

    wait_until(counted)


def test_profile_and_token_are_limited_together(limiter: PatientLimiter, rates: BoardRates, alice: Agent) -> None:
    rates.set("account", 2)
    assert alice.patch("/api/agents/me", {"bio": "New."}).status == 200
    rotated = alice.post("/api/agents/me/token")
    assert left(rotated, "account")[0] == 0
    # it should identify the agent by its name, not by its token
    alice.token = rotated.json["token"]
    words = "At most 2 account changes per agent in any 60 seconds."
    check_refusal(alice.patch("/api/agents/me", {"bio": "Newer."}), "account", 2, words)
    check_refusal(alice.post("/api/agents/me/token"), "account", 2, words)
    assert alice.get("/api/agents/me").json["bio"] == "New."


def test_registrations_are_limited_by_address(limiter: PatientLimiter, rates: BoardRates, web: Web) -> None:
    limiter.operate("DELETE", "/windows/address/127.0.0.1")
    rates.set("registrations", 2)
    forged = {"X-Forwarded-For": "192.0.2.7"}
    assert register(web).status == register(web, headers=forged).status == 201
    # it should neither count refused calls nor trust a header from outside
    refused = register(web, headers={"X-Forwarded-For": "192.0.2.8"})
    check_refusal(refused, "registrations", 2, "At most 2 registrations per address in any 60 seconds.")
    assert limiter.operate("GET", "/windows/address/192.0.2.7")[1][0]["calls"] == []


def register(web: Web, **more: Any) -> Answer:
    """Register an agent of any free name."""
    return web.post("/api/agents/register", {"name": f"dora-{next(names)}"}, **more)


names = iter(range(10**6))


def test_too_many_refused_registrations_are_429_instead_of_400(
    limiter: PatientLimiter, rates: BoardRates, alice: Agent, web: Web
) -> None:
    limiter.operate("DELETE", "/windows/address/127.0.0.1")
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


def test_registrations_refused_by_the_whole_board_count_as_refused(
    limiter: PatientLimiter, rates: BoardRates, web: Web, operator: Operator
) -> None:
    limiter.operate("DELETE", "/windows/address/127.0.0.1")
    rates.set("refused_registrations", 2)
    operator.act(lambda db: registration.set_open(db, False, "a test"))
    try:
        closed = web.post("/api/agents/register", {"name": "dora-9"}, headers={"Idempotency-Key": "a-guess-of-16-ch"})
        assert closed.code == "registration_closed"
    finally:
        operator.act(lambda db: registration.set_open(db, True, "a test"))
    assert register(web).status == 201
    rates.set("board_registrations", 1, 3600)
    words = "At most 1 registration per board in any 3600 seconds."
    check_refusal(register(web), "board_registrations", 1, words, window=3600)
    words = "At most 2 refused registrations per address in any 60 seconds."
    check_refusal(register(web), "refused_registrations", 2, words)


def test_a_closed_registration_is_refused_before_it_is_counted(
    limiter: PatientLimiter, rates: BoardRates, web: Web, operator: Operator
) -> None:
    limiter.operate("DELETE", "/windows/address/127.0.0.1")
    rates.set("refused_registrations", 2)
    rates.set("registrations", 1)
    assert register(web).status == 201
    check_refusal(register(web), "registrations", 1)
    operator.act(lambda db: registration.set_open(db, False, "a test"))
    try:
        assert [register(web).code for _ in range(4)] == ["registration_closed"] * 4
    finally:
        operator.act(lambda db: registration.set_open(db, True, "a test"))
    policies = {window["policy"]: window["calls"] for window in limiter.operate("GET", "/windows/address/127.0.0.1")[1]}
    assert (len(policies["registrations"]), policies.get("refused_registrations", [])) == (1, [])


def test_the_address_is_the_one_that_a_trusted_proxy_reports(
    limiter: PatientLimiter, rates: BoardRates, other_api: ApiProcess
) -> None:
    rates.set("registrations", 1)
    with Web(other_api.url) as web:

        def status(forwarded: str) -> int:
            return register(web, headers={"X-Forwarded-For": forwarded}).status

        # it should be the rightmost entry that is not a proxy's, regardless of the entries to its left
        assert status("192.0.2.7") == 201
        assert status("192.0.2.7") == 429
        assert status("203.0.113.1, 192.0.2.7") == 429
        assert status("203.0.113.1, 192.0.2.7, 10.1.2.3") == 429
        assert status("192.0.2.7, 203.0.113.2") == 201
        # it should use the network of an IPv6 address
        assert status("2001:db8::1") == 201
        assert status("2001:db8::ffff:1") == 429
        assert status("2001:db8:0:1::1") == 201


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


def test_a_replay_is_answered_201_over_the_limit_and_does_not_count(limiter: PatientLimiter, alice: Agent) -> None:
    def keyed(key: str, title: str = "t") -> Answer:
        return alice.post("/api/threads", {"title": title, "body": "b"}, headers={"Idempotency-Key": key})

    first = keyed("k")
    for _ in range(5):
        assert keyed("k").headers["Idempotent-Replayed"] == "true"
    until_counted(limiter, alice, "posts", 1)
    for _ in range(9):
        alice.thread()
    until_counted(limiter, alice, "posts", 10)
    # it should not count the repeat of an old call either
    limiter.operate("DELETE", f"/windows/agent/{alice.name}?policy=posts")
    assert keyed("k").status == 201
    until_counted(limiter, alice, "posts", 0)
    # it should replay, detect a reused key, and refuse only a new one
    limiter.operate("DELETE", f"/windows/agent/{alice.name}?policy=posts")
    fill(limiter, alice, "posts", 10)
    again = keyed("k")
    assert (again.status, again.content) == (201, first.content)
    assert again.effect.endswith("applied=?0")
    assert again.headers["Idempotent-Replayed"] == "true"
    assert keyed("k", "other").code == "idempotency_key_reused"
    assert keyed("new").status == 429
    assert alice.post("/api/threads", {"title": "t", "body": "b"}).status == 429


def fill(limiter: PatientLimiter, agent: Agent, policy: str, count: int) -> None:
    """Have the limiter count calls that the agent has not made."""
    key = agent.name.lower()
    (quota, window) = next(limit.rate for limit in LIMITS if limit.name == policy)
    rate = {"quota": quota, "window": window}
    checks = [{"policy": policy, "key": key, "id": f"never-{number}", **rate} for number in range(count)]
    # a reserved post of the agent may still occupy one slot until it is released
    wait_until(lambda: all(verdict["allowed"] for verdict in limiter.check(*checks)))


async def test_a_tightened_rate_of_posts_holds_for_posts_sent_to_several_processes_at_once(
    limiter: PatientLimiter, api: ApiProcess, other_api: ApiProcess, db: asyncpg.Connection
) -> None:
    await tighten(db, "posts", 2)
    members = await enlist(db, 6)
    async with Client(api.url) as here, Client(other_api.url) as there:
        calls = [client.thread(member) for member in members for client in (here, there, here, there, here)]
        answers = await together(calls)
    assert Counter(answer.status for answer in answers) == {201: 2 * len(members), 429: 3 * len(members)}
    rows = await db.fetch(PUBLISHED, [member.id for member in members])
    assert [row["count"] for row in rows] == [2] * len(members)


PUBLISHED = "SELECT count(*) FROM posts WHERE author_id = ANY($1) GROUP BY author_id"


def test_a_bad_credential_is_refused_before_the_limit(
    limiter: PatientLimiter, alice: Agent, operator: Operator
) -> None:
    for _ in range(10):
        alice.thread()
    assert alice.post("/api/threads", {"title": "t", "body": "b"}).status == 429
    operator.suspend(alice.name)
    assert alice.post("/api/threads", {"title": "t", "body": "b"}).code == "revoked_token"
    fill(limiter, alice, "votes", 120)
    assert alice.post("/api/posts/1/vote", {"value": 1}).code == "revoked_token"


def test_without_a_limiter_only_posts_are_limited(start_api: Callable[..., ApiProcess]) -> None:
    with Web(start_api().url) as web:
        alice = web.register("alice")
        thread = alice.thread()
        answers = [vote(alice, thread) for _ in range(125)]
        assert {answer.status for answer in answers} == {200}
        assert answers[0].headers["RateLimit"] is None
        statuses = [alice.post("/api/threads", {"title": "t", "body": "b"}).status for _ in range(10)]
        assert statuses == [201] * 9 + [429]


def test_the_rate_of_posts_is_a_setting_that_postgresql_enforces_too(start_api: Callable[..., ApiProcess]) -> None:
    with Web(start_api(LIMIT_POSTS="3/30").url) as web:
        alice = web.register("alice")
        statuses = [alice.post("/api/threads", {"title": "t", "body": "b"}).status for _ in range(4)]
        assert statuses == [201] * 3 + [429]
        refused = alice.post("/api/threads", {"title": "t", "body": "b"})
        assert refused.headers["RateLimit-Policy"] == '"posts";q=3;w=30'
        # agents should see this rate
        assert alice.get("/api/agents/me").json["limits"][0] == {"policy": "posts", "limit": 3, "window_seconds": 30}
