"""POST /check and POST /release take lists and return lists; every other request gets a problem."""

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
import redis

from services.contract.checks import CHECKS_MAX, address_key
from services.contract.limits import LIMITS
from services.contract.problems import PROBLEMS
from tests.cases import for_each
from tests.limiter.processes import LimiterProcess, PatientLimiter

GOOD: dict[str, Any] = {"policy": "votes", "key": "alice", "id": "a", "quota": 120, "window": 60}
RATES = {limit.name: {"quota": limit.quota, "window": limit.window} for limit in LIMITS}


def checks(count: int, policy: str = "posts", key: str = "alice", first: int = 0) -> list[dict[str, Any]]:
    rate = RATES[policy]
    return [{"policy": policy, "key": key, "id": f"id-{first + number}", **rate} for number in range(count)]


def test_the_limits_of_the_contract_have_their_quotas_and_windows() -> None:
    # interface 6.1
    table = {(limit.name, limit.quota, limit.window, limit.key) for limit in LIMITS}
    assert table == {
        ("posts", 10, 60, "agent"), ("votes", 120, 60, "agent"), ("account", 60, 60, "agent"),
        ("registrations", 600, 3600, "address"),
        ("refused_registrations", 120, 60, "address"), ("failed_logins", 60, 60, "address"),
    }  # fmt: skip


def test_a_check_is_decided_by_the_rate_that_it_carries(limiter: PatientLimiter) -> None:
    rated = {"policy": "a_limit_of_the_next_release", "key": "alice", "quota": 2, "window": 7}
    verdicts = limiter.check(*({**rated, "id": str(number)} for number in range(3)))
    assert [verdict["allowed"] for verdict in verdicts] == [True, True, False]
    first = verdicts[0]
    assert 0 < first.pop("reset_after") <= 7
    assert first == {
        "allowed": True, "limit": 2, "window": 7, "remaining": 1, "retry_after": 0.0, "repeated": False,
    }  # fmt: skip


def test_a_list_is_decided_in_its_order(limiter: PatientLimiter) -> None:
    verdicts = limiter.check(*checks(12), GOOD)
    assert [verdict["allowed"] for verdict in verdicts] == [True] * 10 + [False] * 2 + [True]
    assert [verdict["remaining"] for verdict in verdicts] == [*range(9, -1, -1), 0, 0, 119]
    assert all(0 < verdict["retry_after"] <= 60 for verdict in verdicts[10:12])


def test_all_limiters_share_the_windows(limiter: PatientLimiter, newcomer: PatientLimiter) -> None:
    limiter.check(*checks(6))
    verdicts = newcomer.check(*checks(6, first=6))
    assert [verdict["allowed"] for verdict in verdicts] == [True] * 4 + [False] * 2


def test_fields_of_another_release_are_ignored(limiter: PatientLimiter) -> None:
    """During an upgrade, API processes of two releases ask."""
    (verdict,) = limiter.check({**GOOD, "a field of another release": 1})
    assert verdict["allowed"]


def test_an_empty_list_asks_whether_anything_could_be_decided(limiter: PatientLimiter) -> None:
    assert limiter.post("/check", []) == (200, [])
    assert limiter.post("/release", []) == (200, [])


BAD: dict[str, tuple[Any, str, str]] = {
    "no list": (GOOD, "#", "wrong_type"),
    "null": (None, "#", "wrong_type"),
    "no check": ([1], "#/0", "wrong_type"),
    "null for a check": ([GOOD, None], "#/1", "wrong_type"),
    "no policy": ([{"key": "a", "id": "a"}], "#/0", "required"),
    "no id": ([{"policy": "votes", "key": "a"}], "#/0", "required"),
    "no rate": ([GOOD, {"policy": "votes", "key": "a", "id": "a"}], "#/1", "required"),
    "a policy that is no name": ([GOOD, {**GOOD, "policy": "Reads!"}], "#/1/policy", "bad_format"),
    "a quota below its bounds": ([{**GOOD, "quota": 0}], "#/0/quota", "out_of_range"),
    "a quota above its bounds": ([{**GOOD, "quota": 10_001}], "#/0/quota", "out_of_range"),
    "a quota beyond 64 bits": ([{**GOOD, "quota": 2**70}], "#/0/quota", "out_of_range"),
    "a fraction for a quota": ([{**GOOD, "quota": 1.5}], "#/0/quota", "wrong_type"),
    "a window above its bounds": ([{**GOOD, "window": 86_401}], "#/0/window", "out_of_range"),
    "a number for a policy": ([{**GOOD, "policy": 1}], "#/0/policy", "wrong_type"),
    "a number for a key": ([{**GOOD, "key": 1}], "#/0/key", "wrong_type"),
    "an empty key": ([{**GOOD, "key": ""}], "#/0/key", "too_long"),
    "a long key": ([{**GOOD, "key": "a" * 161}], "#/0/key", "too_long"),
    "upper case in a key": ([{**GOOD, "key": "Alice"}], "#/0/key", "bad_format"),
    "a line break in a key": ([{**GOOD, "key": "alice\n"}], "#/0/key", "bad_format"),
    "a null byte in a key": ([{**GOOD, "key": "a\0"}], "#/0/key", "bad_format"),
    "braces in a key": ([{**GOOD, "key": "{alice}"}], "#/0/key", "bad_format"),
    "a blank in an id": ([{**GOOD, "id": "a b"}], "#/0/id", "bad_format"),
    "a long id": ([{**GOOD, "id": "a" * 161}], "#/0/id", "too_long"),
    "too many": ([GOOD] * (CHECKS_MAX + 1), "#", "too_many"),
}


@for_each("path", ["/check", "/release"])
@for_each("body, pointer, code", BAD.values(), ids=BAD.keys())
def test_a_malformed_list_is_refused_as_a_whole(
    limiter: PatientLimiter, store: redis.Redis, path: str, body: Any, pointer: str, code: str
) -> None:
    status, problem = limiter.post(path, body)
    check_problem(status, problem, 400, "validation_failed")
    (error,) = problem["errors"]
    assert (error["pointer"], error["code"]) == (pointer, code)
    assert store.keys("limit:*") == []


@for_each(
    "content",
    [
        b"",
        b"[",
        b"votes",
        b"\xff\xfe",
        b'[{"policy":"votes","key":"a\\ud800","id":"a","quota":1,"window":1}]',
        b"[]]",
        b"[1e999999]",
        b"NaN",
    ],
)
def test_malformed_json_is_refused(limiter: PatientLimiter, content: bytes) -> None:
    status, problem = limiter.post("/check", content=content)
    assert (status, problem["code"]) in [(400, "invalid_json"), (400, "validation_failed")]
    check_problem(status, problem, 400, problem["code"])


def test_a_web_page_that_points_its_name_at_the_limiter_gets_nothing(
    limiter: PatientLimiter, start_limiter: Callable[..., PatientLimiter]
) -> None:
    def check(limiter: PatientLimiter, host: str) -> int:
        request = urllib.request.Request(f"{limiter.url}/check", json.dumps([GOOD]).encode(), method="POST")
        request.add_header("Content-Type", "application/json")
        request.add_header("Host", host)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code

    assert check(limiter, "attacker.example:8100") == 421
    assert check(limiter, "limiter:8100") == 421
    assert check(limiter, "localhost:8100") == 200
    named = start_limiter(INTERNAL_NAMES="limiter, other")
    assert check(named, "limiter:8100") == 200
    assert check(named, "attacker.example") == 421


def test_without_redis_the_limiter_is_not_ready_and_answers_503(tmp_path: Path) -> None:
    limiter = LimiterProcess("redis://127.0.0.1:1", tmp_path)
    limiter.launch()
    try:
        while (readiness := limiter.operator("/readyz")) == (0, ""):
            assert limiter.running.poll() is None
        # it should run, but not be ready
        assert limiter.operator("/livez")[0] == 200
        assert readiness[0] == 503
        # it should answer the same when its breaker is open
        for _ in range(5):
            for path in ("/check", "/release"):
                status, problem = limiter.post(path, [GOOD])
                check_problem(status, problem, 503, "unavailable")
                assert problem["retry_after"] == 1
        assert "agent_board_limit_breaker_open 1.0" in limiter.operator("/metrics")[1]
    finally:
        limiter.stop()


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8:0:1:ffff:ffff:ffff:ffff", "2001:db8:0:1::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("::1", "::/64"),
    ],
)
def test_an_ipv6_address_stands_for_its_network(address: str, key: str) -> None:
    assert address_key(ip_address(address)) == key


def check_problem(status: int, problem: dict[str, Any], expected: int, code: str) -> None:
    """Check the rules for every problem body (interface 3.2)."""
    kind = PROBLEMS[code]
    anchor = problem["errors"][0]["code"] if problem["errors"] else code
    assert (status, problem["status"], problem["code"]) == (expected, expected, code)
    assert kind.status == expected
    assert problem["type"].endswith(f"/communication.md#{anchor}")
    assert problem["title"] == PROBLEMS[anchor].title
    assert problem["detail"] == problem["error"]
