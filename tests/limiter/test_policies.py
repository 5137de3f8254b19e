"""Policies are changed at run time for all limiters together, kept in Redis, and shown with their authors."""

import time
from collections.abc import Callable
from typing import Any

import pytest
import redis

from services.contract.limits import LIMITS
from tests.limiter.processes import PatientLimiter
from tests.limiter.test_checks import check_problem, checks


def change(limiter: PatientLimiter, name: str, **wanted: Any) -> dict[str, Any]:
    """Change a policy as olga."""
    status, policy = limiter.operate("PUT", f"/policies/{name}", {"who": "olga", **wanted})
    assert status == 200, policy
    return dict(policy)


def shown(limiter: PatientLimiter, name: str) -> dict[str, Any]:
    status, found = limiter.operate("GET", "/policies")
    assert status == 200
    return next(dict(policy) for policy in found["policies"] if policy["name"] == name)


def allowed(limiter: PatientLimiter, count: int, policy: str = "votes", first: int = 0) -> int:
    return sum(verdict["allowed"] for verdict in limiter.check(*checks(count, policy, first=first)))


def test_a_change_holds_for_the_next_check_of_every_limiter(limiter: PatientLimiter, newcomer: PatientLimiter) -> None:
    other = newcomer
    assert other.check(*checks(1, "votes"))[0]["limit"] == 120
    assert change(limiter, "votes", quota=3, window=10) == {
        "name": "votes", "quota": 3, "window": 10, "shadow": False,
    }  # fmt: skip
    # it should still count the earlier calls
    (first, *_) = other.check(*checks(1, "votes", first=1))
    assert (first["limit"], first["window"], first["remaining"]) == (3, 10, 1)
    assert allowed(other, 3, first=2) == 1
    # it should end with the original policy
    assert limiter.operate("DELETE", "/policies/votes?who=olga")[0] == 200
    assert other.check(*checks(1, "votes", first=5))[0]["remaining"] == 116


def test_changes_are_shown_with_author_and_time(limiter: PatientLimiter) -> None:
    before = time.time()
    change(limiter, "acks", quota=5, window=7, shadow=True)
    limiter.operate("DELETE", "/policies/acks?who=otto")
    found = limiter.operate("GET", "/policies")[1]
    newest, older = found["changes"][:2]
    assert before - 1 < older.pop("at") <= newest.pop("at") < time.time() + 1
    assert newest == {"who": "otto", "name": "acks", "policy": None}
    changed = {"name": "acks", "quota": 5, "window": 7, "shadow": True}
    assert older == {"who": "olga", "name": "acks", "policy": changed}
    # it should show every policy next to its setting
    setting = {"name": "acks", "quota": 600, "window": 60, "shadow": False}
    assert shown(limiter, "acks") == {**setting, "setting": setting}
    assert [policy["name"] for policy in found["policies"]] == [limit.name for limit in LIMITS]


def test_a_policy_in_shadow_is_counted_and_not_enforced(limiter: PatientLimiter) -> None:
    change(limiter, "votes", quota=2, window=60, shadow=True)
    verdicts = limiter.check(*checks(4, "votes"))
    assert [verdict["allowed"] for verdict in verdicts] == [True] * 4
    assert [verdict["shadow"] for verdict in verdicts] == [False, False, True, True]
    assert [verdict["remaining"] for verdict in verdicts] == [1, 0, 0, 0]
    # it should be enforced as soon as it leaves shadow mode, and count only calls within the quota
    change(limiter, "votes", quota=3, window=60)
    assert allowed(limiter, 2, first=10) == 1


def test_every_verdict_is_counted_by_policy(start_limiter: Callable[..., PatientLimiter], store: redis.Redis) -> None:
    limiter = start_limiter()
    limiter.check(*checks(12), *checks(1, "acks"))
    change(limiter, "account", quota=1, window=60, shadow=True)
    limiter.check(*checks(3, "account"))
    metrics = limiter.operator("/metrics")[1]
    for policy, verdict, count in (
        ("posts", "allowed", 7),
        ("posts", "near", 3),
        ("posts", "denied", 2),
        ("acks", "allowed", 1),
        ("account", "near", 1),
        ("account", "shadow_denied", 2),
    ):
        line = f'agent_board_limit_decisions_total{{policy="{policy}",verdict="{verdict}"}} {count}.0'
        assert line in metrics
    # it should count batches and their times
    assert "agent_board_limit_batch_checks_sum 16.0" in metrics
    assert "agent_board_limit_decision_seconds_count 2.0" in metrics
    assert "agent_board_limit_breaker_open 0.0" in metrics
    # it should go on when Redis has lost the script
    store.script_flush()
    assert limiter.check(*checks(1, "acks"))


def test_changes_survive_a_flush_of_redis(
    limiter: PatientLimiter, newcomer: PatientLimiter, store: redis.Redis
) -> None:
    change(limiter, "votes", quota=3, window=60)
    store.flushall()
    # a limiter that knows them should restore them for those that do not
    assert allowed(limiter, 4) == 3
    assert shown(newcomer, "votes")["quota"] == 3
    assert allowed(newcomer, 4, first=10) == 0


def test_of_two_histories_the_younger_wins(
    limiter: PatientLimiter, newcomer: PatientLimiter, store: redis.Redis
) -> None:
    change(limiter, "votes", quota=3, window=60)
    store.flushall()
    change(newcomer, "votes", quota=5, window=60)
    assert allowed(limiter, 6) == 5
    assert shown(limiter, "votes")["quota"] == 5


@pytest.mark.parametrize("garbage", [b"", b"{", b'{"revision": "x"}', b"[]"])
def test_an_unreadable_state_in_redis_is_replaced(
    start_limiter: Callable[..., PatientLimiter], store: redis.Redis, garbage: bytes
) -> None:
    # its own server: the others must not see a revision that no later one exceeds
    limiter = start_limiter()
    change(limiter, "votes", quota=3, window=60)
    store.hset("limit-policies", mapping={"revision": 2**50, "state": garbage})
    assert allowed(limiter, 4) == 3
    store.hset("limit-policies", mapping={"revision": 1, "state": garbage})
    assert allowed(limiter, 4, first=10) == 0


def test_posts_can_only_be_tightened(limiter: PatientLimiter) -> None:
    for quota, window in ((11, 60), (10, 59), (100, 3600)):
        wanted = {"who": "olga", "quota": quota, "window": window}
        status, problem = limiter.operate("PUT", "/policies/posts", wanted)
        check_problem(status, problem, 400, "validation_failed")
        assert "LIMIT_POSTS" in problem["detail"]
    assert shown(limiter, "posts")["quota"] == 10
    assert change(limiter, "posts", quota=10, window=60, shadow=True)["shadow"]
    change(limiter, "posts", quota=4, window=120)
    assert allowed(limiter, 6, "posts") == 4


def test_policies_are_those_of_the_settings_at_first(
    start_limiter: Callable[..., PatientLimiter], store: redis.Redis
) -> None:
    limiter = start_limiter(LIMIT_VOTES="2/5", LIMIT_POSTS="20/60")
    assert allowed(limiter, 3) == 2
    assert shown(limiter, "votes")["window"] == 5
    # it should let posts be changed up to what the setting allows
    change(limiter, "posts", quota=20, window=60)
    assert limiter.operate("PUT", "/policies/posts", {"who": "olga", "quota": 21, "window": 60})[0] == 400


BAD: list[Any] = [
    {},
    {"quota": 1, "window": 1},
    {"who": "", "quota": 1, "window": 1},
    {"who": " ", "quota": 1, "window": 1},
    {"who": "ol\nga", "quota": 1, "window": 1},
    {"who": "o" * 101, "quota": 1, "window": 1},
    {"who": "olga", "quota": 0, "window": 1},
    {"who": "olga", "quota": 10_001, "window": 1},
    {"who": "olga", "quota": 1, "window": 0},
    {"who": "olga", "quota": 1, "window": 86_401},
    {"who": "olga", "quota": 1.5, "window": 1},
    {"who": "olga", "quota": True, "window": 1},
    {"who": "olga", "quota": "1", "window": 1},
    {"who": "olga", "quota": 1, "window": 1, "shadow": 1},
    {"who": "olga", "quota": 1, "window": 1, "reason": "why not"},
    [],
]


@pytest.mark.parametrize("body", BAD, ids=str)
def test_a_bad_change_is_refused(limiter: PatientLimiter, body: Any) -> None:
    status, problem = limiter.operate("PUT", "/policies/votes", body)
    check_problem(status, problem, 400, "validation_failed")
    assert shown(limiter, "votes")["quota"] == 120


def test_a_change_needs_a_policy_and_an_author(limiter: PatientLimiter) -> None:
    good = {"who": "olga", "quota": 1, "window": 1}
    check_problem(*limiter.operate("PUT", "/policies/reads", good), 404, "not_found")
    check_problem(*limiter.operate("DELETE", "/policies/reads?who=olga"), 404, "not_found")
    check_problem(*limiter.operate("DELETE", "/policies/votes"), 400, "validation_failed")


def test_the_public_port_has_none_of_these_routes(limiter: PatientLimiter) -> None:
    for path in ("/policies", "/policies/votes", "/windows/agent/alice"):
        check_problem(*limiter.post(path, {}), 404, "not_found")
