"""Decisions on checks: those that wait together go in one call of Redis, and each request gets its own verdicts."""

import time
from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec
import structlog

from services.contract.checks import CHECKS_MAX, Check, Verdict
from services.process.batcher import Batcher
from services.process.breaker import Breaker
from services.process.metrics import Registry

from .policies import Policies, Policy, decode, encode
from .window import COUNTED_BEFORE, REFUSED, SHADOW, Decision, StoreAway, Windows

NEAR: Final = 0.8
"""The share of the quota from which on an allowed call is near the limit."""
AGREEMENTS: Final = 3
CALLS_MAX: Final = 2
"""While Redis decides one list, the replies to another are read and the next is prepared."""

_log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


class Limiter:
    """Decides checks by the policies in force, and counts its decisions."""

    def __init__(self, windows: Windows, policies: Policies, registry: Registry) -> None:
        self.windows = windows
        self.policies = policies
        self.breaker = Breaker()
        self._batcher: Batcher[Sequence[Check], list[Verdict]] = Batcher(
            "decisions", self._decide_lists, calls_max=CALLS_MAX, size_max=CHECKS_MAX, weigh=len
        )
        self._decisions = registry.count(
            "agent_board_limit_decisions_total",
            "Checks decided, by policy and verdict: allowed, near (allowed, from 80 % of the quota on), denied, "
            "shadow_denied (allowed only because the policy is in shadow), away (Redis did not answer).",
            ("policy", "verdict"),
        )
        self._seconds = registry.distribution(
            "agent_board_limit_decision_seconds", "Time from a request's arrival to its verdicts."
        )
        self._sizes = registry.distribution(
            "agent_board_limit_batch_checks",
            "Checks decided together in one call of Redis.",
            bounds=[1, 2, 4, 8, 16, 32, 64, 128, CHECKS_MAX],
        )
        self._in_flight = 0
        registry.reading(
            "agent_board_limit_checks_in_hand", "Checks that are being decided now.", lambda: self._in_flight
        )
        registry.reading(
            "agent_board_limit_breaker_open",
            "Whether Redis is not asked because it did not answer, 0 or 1.",
            lambda: int(self.breaker.open),
        )

    async def check(self, checks: Sequence[Check]) -> list[Verdict]:
        """One verdict for each check, in order. Raises StoreAway."""
        began = time.perf_counter()
        self._in_flight += len(checks)
        try:
            if not self.breaker.allows():
                raise StoreAway("the breaker is open")
            verdicts = await self._batcher.submit(checks)
        except StoreAway:
            for check in checks:
                self._decisions.add(check.policy, "away")
            raise
        finally:
            self._in_flight -= len(checks)
        self._seconds.observe(time.perf_counter() - began)
        policies = (check.policy for check in checks)
        for labels, amount in Counter(zip(policies, map(word_for, verdicts), strict=True)).items():
            self._decisions.add(*labels, amount=amount)
        return verdicts

    async def release(self, checks: Sequence[Check]) -> list[bool]:
        """Give checks back; for each, whether it was counted. Raises StoreAway."""
        if self.breaker.open:
            raise StoreAway("the breaker is open")
        return await self.windows.release(checks)

    async def change_policy(self, name: str, who: str, policy: Policy | None) -> Policy:
        """Put a changed policy, or (None) that of the settings, in force for every limiter, and return it.

        Raises StoreAway, TooLoose.
        """
        for _ in range(AGREEMENTS):
            await self.agree()
            state = self.policies.changed(name, who, policy)
            if await self.windows.replace_policies(self.policies.revision, state.revision, encode(state)):
                self.policies.state = state
                return self.policies[name]
        raise StoreAway("the policies change too fast")

    async def agree(self) -> None:
        """Read which policies are in force; restore them when Redis has lost them. Raises StoreAway."""
        known = self.policies.state
        revision, text = await self.windows.read_policies()
        found = decode(text)
        if found.revision == revision >= known.revision:
            self.policies.state = found
            return
        if revision >= known.revision:
            # the state in Redis cannot be parsed
            known = msgspec.structs.replace(known, revision=revision + 1)
        if await self.windows.replace_policies(revision, known.revision, encode(known)):
            self.policies.state = known
            _log.warning("policies_restored", revision=known.revision)

    async def _decide_lists(self, lists: Sequence[Sequence[Check]]) -> list[list[Verdict]]:
        """The verdicts on several lists of checks, from one call of Redis."""
        try:
            verdicts = await self._decide([check for checks in lists for check in checks])
        except Exception:
            self.breaker.failed()
            raise
        self.breaker.succeeded()
        self._sizes.observe(len(verdicts))
        rest = iter(verdicts)
        return [[next(rest) for _ in checks] for checks in lists]

    async def _decide(self, checks: Sequence[Check]) -> list[Verdict]:
        """Decide by the policies in force; when they have changed, read them first."""
        for _ in range(AGREEMENTS):
            revision = self.policies.revision
            policies = {name: self.policies[name] for name in {check.policy for check in checks}}
            decided = await self.windows.decide(revision, policies, checks)
            if decided is not None:
                return [verdict_on(policies[check.policy], one) for check, one in zip(checks, decided, strict=True)]
            await self.agree()
        raise StoreAway("the policies change too fast")


def verdict_on(policy: Policy, decision: Decision) -> Verdict:
    return Verdict(
        allowed=decision.state != REFUSED,
        limit=policy.quota,
        window=policy.window,
        remaining=max(0, policy.quota - decision.used),
        reset_after=decision.reset,
        retry_after=decision.retry,
        repeated=decision.state == COUNTED_BEFORE,
        shadow=decision.state == SHADOW,
    )


def word_for(verdict: Verdict) -> str:
    """The metric's label for a verdict."""
    if not verdict.allowed:
        return "denied"
    if verdict.shadow:
        return "shadow_denied"
    return "near" if verdict.limit - verdict.remaining >= NEAR * verdict.limit else "allowed"
