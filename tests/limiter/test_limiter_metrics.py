"""The metrics of the limiter and of the API processes that call it, by value."""

from collections.abc import Callable

import redis

from tests.limiter.processes import PatientLimiter
from tests.limiter.test_checks import checks
from tests.metrics import metric


def test_decisions_are_measured_and_survive_the_loss_of_the_script(
    start_limiter: Callable[..., PatientLimiter], store: redis.Redis
) -> None:
    limiter = start_limiter()
    limiter.check(*checks(12), *checks(1, "votes"))
    assert metric(limiter, "agent_board_limit_decision_seconds_count") == 1
    assert metric(limiter, "agent_board_limit_breaker_open") == 0
    # it should go on when Redis has lost the script
    store.script_flush()
    assert limiter.check(*checks(1, "votes", first=1))[0]["remaining"] == 118
