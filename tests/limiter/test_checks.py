"""POST /check and POST /release take lists and return lists; every other request is refused."""

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


def test_fields_of_another_release_are_ignored(limiter: PatientLimiter) -> None:
    """During an upgrade, API processes of two releases ask."""
    (verdict,) = limiter.check({**GOOD, "a field of another release": 1})
    assert verdict["allowed"]


def test_an_empty_list_asks_whether_anything_could_be_decided(limiter: PatientLimiter) -> None:
    assert limiter.post("/check", []) == (200, [])
    assert limiter.post("/release", []) == (200, [])


BAD: dict[str, Any] = {
    "no list": GOOD,
    "no check": [1],
    "no id": [{"policy": "votes", "key": "a"}],
    "no rate": [GOOD, {"policy": "votes", "key": "a", "id": "a"}],
    "a policy that is no name": [GOOD, {**GOOD, "policy": "Reads!"}],
    "a quota below its bounds": [{**GOOD, "quota": 0}],
    "a quota above its bounds": [{**GOOD, "quota": 10_001}],
    "a fraction for a quota": [{**GOOD, "quota": 1.5}],
    "a window above its bounds": [{**GOOD, "window": 86_401}],
    "an empty key": [{**GOOD, "key": ""}],
    "a long key": [{**GOOD, "key": "a" * 161}],
    "upper case in a key": [{**GOOD, "key": "Alice"}],
    "a line break in a key": [{**GOOD, "key": "alice\n"}],
    "braces in a key": [{**GOOD, "key": "{alice}"}],
    "a blank in an id": [{**GOOD, "id": "a b"}],
    "a long id": [{**GOOD, "id": "a" * 161}],
    "too many": [GOOD] * (CHECKS_MAX + 1),
}


@for_each("path", ["/check", "/release"])
@for_each("body", BAD.values(), ids=BAD.keys())
def test_a_malformed_list_is_refused_as_a_whole(
    limiter: PatientLimiter, store: redis.Redis, path: str, body: Any
) -> None:
    assert limiter.post(path, body) == (400, f"The body is not a list of at most {CHECKS_MAX} checks.")
    assert store.keys("limit:*") == []


@for_each(
    "content",
    [
        b"[",
        b"\xff\xfe",
        b'[{"policy":"votes","key":"a\\ud800","id":"a","quota":1,"window":1}]',
        b"[1e999999]",
    ],
)
def test_malformed_json_is_refused(limiter: PatientLimiter, content: bytes) -> None:
    assert limiter.post("/check", content=content)[0] == 400


def test_what_a_web_page_may_send_without_asking_is_refused(limiter: PatientLimiter) -> None:
    for media_type in ("text/plain", "text/plain; charset=application/json", "application/x-www-form-urlencoded"):
        assert limiter.post("/check", [GOOD], media_type=media_type)[0] == 415


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
                assert limiter.post(path, [GOOD]) == (503, "Redis does not answer; nothing was decided.")
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
