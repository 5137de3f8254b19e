"""Decisions on checks: those that wait together go in one call of Redis, and each request gets its own verdicts.

Every check carries its rate, so the limiter keeps none.
"""

import time
from collections.abc import Sequence
from typing import Final

from prometheus_client import Gauge, Histogram

from services.contract.checks import CHECKS_MAX, Check, Verdict
from services.process.breaker import Breaker
from services.process.metrics import SECONDS, Registry
from services.process.queue import Queue

from .window import COUNTED_BEFORE, REFUSED, Decision, StoreAway, Windows

CALLS_MAX: Final = 2
"""While Redis decides one list, the replies to another are read and the next is prepared."""


class Limiter:
    """Decides checks, and measures how long that takes."""

    def __init__(self, windows: Windows, registry: Registry) -> None:
        self.windows = windows
        self.breaker = Breaker()
        self.queue: Queue[Sequence[Check], list[Verdict]] = Queue(
            "decisions", self.decide_lists, calls_max=CALLS_MAX, size_max=CHECKS_MAX, weigh=len
        )
        self.measure_decisions(registry)
        Gauge(
            "agent_board_limit_breaker_open",
            "Whether Redis is not asked because it did not answer, 0 or 1.",
            registry=registry,
        ).set_function(lambda: int(self.breaker.open))

    def measure_decisions(self, registry: Registry) -> None:
        """Register the metrics of checks and of their decisions."""
        self.seconds = Histogram(
            "agent_board_limit_decision_seconds",
            "Time from a request's arrival to its verdicts.",
            buckets=SECONDS,
            registry=registry,
        )

    async def check(self, checks: Sequence[Check]) -> list[Verdict]:
        """One verdict for each check, in order. Raises StoreAway."""
        began = time.perf_counter()
        if not self.breaker.allows():
            raise StoreAway("the breaker is open")
        verdicts = await self.queue.submit(checks)
        self.seconds.observe(time.perf_counter() - began)
        return verdicts

    async def release(self, checks: Sequence[Check]) -> list[bool]:
        """Give checks back; for each, whether it was counted. Raises StoreAway."""
        if self.breaker.open:
            raise StoreAway("the breaker is open")
        return await self.windows.release(checks)

    async def decide_lists(self, lists: Sequence[Sequence[Check]]) -> list[list[Verdict]]:
        """The verdicts on several lists of checks, from one call of Redis."""
        asked = [check for checks in lists for check in checks]
        try:
            decided = await self.windows.decide(asked)
        except Exception:
            self.breaker.failed()
            raise
        self.breaker.succeeded()
        rest = map(verdict_on, asked, decided)
        return [[next(rest) for _ in checks] for checks in lists]


def verdict_on(check: Check, decision: Decision) -> Verdict:
    return Verdict(
        allowed=decision.state != REFUSED,
        limit=check.quota,
        window=check.window,
        remaining=max(0, check.quota - decision.used),
        reset_after=decision.reset,
        retry_after=decision.retry,
        repeated=decision.state == COUNTED_BEFORE,
    )
