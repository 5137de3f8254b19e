"""Decisions on checks: those that wait together go in one call of Redis, and each request gets its own verdicts.

Every check carries its rate, so the limiter keeps none.
"""

import collections
import time
from collections.abc import Sequence
from typing import Final

from prometheus_client import Counter, Gauge, Histogram

from services.contract.checks import CHECKS_MAX, Check, Verdict
from services.process.breaker import Breaker
from services.process.metrics import SECONDS, Registry
from services.process.queue import Queue

from .window import COUNTED_BEFORE, REFUSED, Decision, StoreAway, Windows

NEAR: Final = 0.8
"""The share of the quota from which on an allowed call is near the limit."""
CALLS_MAX: Final = 2
"""While Redis decides one list, the replies to another are read and the next is prepared."""


class Limiter:
    """Decides checks, and counts its decisions."""

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
        self.decisions = Counter(
            "agent_board_limit_decisions_total",
            "Checks decided, by policy and verdict: allowed, near (allowed, from 80 % of the quota on), denied, away "
            "(Redis did not answer).",
            ("policy", "verdict"),
            registry=registry,
        )
        self.seconds = Histogram(
            "agent_board_limit_decision_seconds",
            "Time from a request's arrival to its verdicts.",
            buckets=SECONDS,
            registry=registry,
        )
        self.sizes = Histogram(
            "agent_board_limit_batch_checks",
            "Checks decided together in one call of Redis.",
            buckets=[1, 2, 4, 8, 16, 32, 64, 128, CHECKS_MAX],
            registry=registry,
        )
        self.in_flight = Gauge(
            "agent_board_limit_checks_in_hand", "Checks that are being decided now.", registry=registry
        )

    async def check(self, checks: Sequence[Check]) -> list[Verdict]:
        """One verdict for each check, in order. Raises StoreAway."""
        began = time.perf_counter()
        self.in_flight.inc(len(checks))
        try:
            if not self.breaker.allows():
                raise StoreAway("the breaker is open")
            verdicts = await self.queue.submit(checks)
        except StoreAway:
            for check in checks:
                self.decisions.labels(check.policy, "away").inc()
            raise
        finally:
            self.in_flight.dec(len(checks))
        self.seconds.observe(time.perf_counter() - began)
        policies = (check.policy for check in checks)
        for labels, amount in collections.Counter(zip(policies, map(word_for, verdicts), strict=True)).items():
            self.decisions.labels(*labels).inc(amount)
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
        self.sizes.observe(len(asked))
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


def word_for(verdict: Verdict) -> str:
    """The metric's label for a verdict."""
    if not verdict.allowed:
        return "denied"
    return "near" if verdict.limit - verdict.remaining >= NEAR * verdict.limit else "allowed"
