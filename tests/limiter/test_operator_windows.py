"""An operator sees and empties windows, by an agent's name or by an address."""

import time

import pytest

from tests.limiter.processes import PatientLimiter
from tests.limiter.test_checks import check_problem, checks


def test_the_windows_of_an_agent_are_shown(limiter: PatientLimiter) -> None:
    limiter.check(*checks(12), *checks(1, "votes"), *checks(1, key="bob"))
    status, windows = limiter.operate("GET", "/windows/agent/Alice")
    assert status == 200
    assert [window["policy"] for window in windows] == ["posts", "votes", "account"]
    posts, votes, account = windows
    # it should show the times of the calls, oldest first
    calls = posts.pop("calls")
    assert len(calls) == 10
    assert calls == sorted(calls)
    assert abs(calls[0] - time.time()) < 60
    assert posts == {"policy": "posts", "key": "alice"}
    assert (len(votes["calls"]), account["calls"]) == (1, [])


def test_the_windows_of_an_address_are_shown(limiter: PatientLimiter) -> None:
    limiter.check(*checks(2, "registrations", "2001:db8:0:1::/64"), *checks(1, "failed_logins", "192.0.2.7"))
    windows = limiter.operate("GET", "/windows/address/2001:db8:0:1::9")[1]
    assert [window["policy"] for window in windows] == ["registrations", "refused_registrations", "failed_logins"]
    assert (windows[0]["key"], len(windows[0]["calls"])) == ("2001:db8:0:1::/64", 2)
    assert len(limiter.operate("GET", "/windows/address/192.0.2.7")[1][2]["calls"]) == 1


def test_reset_windows_are_free_again(limiter: PatientLimiter) -> None:
    limiter.check(*checks(10), *checks(3, "votes"), *checks(10, key="bob"))
    status, reset = limiter.operate("DELETE", "/windows/agent/ALICE?policy=posts")
    assert (status, reset) == (200, {"posts": True})
    assert limiter.check(*checks(1, first=20))[0]["remaining"] == 9
    assert limiter.check(*checks(1, "votes", first=20))[0]["remaining"] == 116
    # it should empty all of the agent's windows if none is named, and no other agent's
    reset = {"posts": True, "votes": True, "account": False}
    assert limiter.operate("DELETE", "/windows/agent/alice") == (200, reset)
    assert limiter.check(*checks(1, "votes", first=30))[0]["remaining"] == 119
    assert not limiter.check(*checks(1, key="bob", first=20))[0]["allowed"]


@pytest.mark.parametrize("path", ["/windows/agent/a%2Fb", "/windows/agent/%20", "/windows/address/alice"])
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_what_can_have_no_windows_is_refused(limiter: PatientLimiter, path: str, method: str) -> None:
    check_problem(*limiter.operate(method, path), 400, "validation_failed")


def test_an_unknown_policy_has_no_windows(limiter: PatientLimiter) -> None:
    check_problem(*limiter.operate("DELETE", "/windows/agent/alice?policy=reads"), 404, "not_found")


def test_the_public_port_has_none_of_these_routes(limiter: PatientLimiter) -> None:
    check_problem(*limiter.post("/windows/agent/alice", {}), 404, "not_found")
