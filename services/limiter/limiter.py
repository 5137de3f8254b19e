"""Decides: all checks that wait go together in one call of Redis, and each caller gets its own verdicts.

A caller that has gone takes nobody with it: each has a private future, and the call goes on.
"""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Sequence
from typing import Final

import msgspec
import structlog

from services.board.contract.checks import CHECKS_MAX, LEASE_SECONDS, TOLD_SECONDS, Check, Verdict
from services.board.contract.limits import POSTS
from services.board.process.breaker import Breaker
from services.board.process.metrics import Registry

from .policies import Policies, Policy, decode, encode
from .window import COUNTED_BEFORE, REFUSED, SHADOW, Judged, StoreAway, Windows

NEAR: Final = 0.8
"""The share of the quota from which on an allowed call is near the limit."""
AGREEMENTS: Final = 3

_log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


class Limiter:
    """Judges checks by the policies in force, and counts its decisions."""

    def __init__(self, windows: Windows, policies: Policies, registry: Registry) -> None:
        self.windows = windows
        self.policies = policies
        self.breaker = Breaker()
        self._waiting: deque[tuple[Sequence[Check], asyncio.Future[list[Verdict]]]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._decisions = registry.count(
            "agent_board_limit_decisions_total",
            "Checks decided, by policy and verdict: allowed, near (allowed, from 80 % of the quota on), denied, "
            "shadow_denied (allowed only because the policy is in shadow), away (Redis did not answer).",
            ("policy", "verdict"),
        )
        self._seconds = registry.distribution(
            "agent_board_limit_decision_seconds", "Time from a call's arrival to its verdicts."
        )
        self._sizes = registry.distribution(
            "agent_board_limit_batch_checks",
            "Checks decided together in one call of Redis.",
            bounds=[1, 2, 4, 8, 16, 32, 64, 128, CHECKS_MAX],
        )
        self._in_hand = 0
        registry.reading(
            "agent_board_limit_checks_in_hand", "Checks that are being decided now.", lambda: self._in_hand
        )
        registry.reading(
            "agent_board_limit_breaker_open",
            "Whether Redis is left alone because it did not answer, 0 or 1.",
            lambda: int(self.breaker.open),
        )
        registry.reading(
            "agent_board_limit_script_loads_total",
            "How often a script was sent to Redis because it did not know it.",
            lambda: windows.loads,
        )

    async def check(self, checks: Sequence[Check]) -> list[Verdict]:
        """One verdict for each check, in order. Raises StoreAway."""
        began = time.perf_counter()
        self._in_hand += len(checks)
        try:
            verdicts = await self._submit(checks)
        except StoreAway:
            for check in checks:
                self._decisions.add(check.policy, "away")
            raise
        finally:
            self._in_hand -= len(checks)
        self._seconds.observe(time.perf_counter() - began)
        words = Counter((check.policy, word_for(verdict)) for check, verdict in zip(checks, verdicts, strict=True))
        for (policy, word), amount in words.items():
            self._decisions.add(policy, word, amount=amount)
        return verdicts

    async def release(self, checks: Sequence[Check]) -> list[bool]:
        """Give checks back; for each, whether it was counted. Raises StoreAway."""
        if self.breaker.open:
            raise StoreAway("the breaker is open")
        return await self.windows.release(checks) if checks else []

    async def change_policy(self, name: str, who: str, policy: Policy | None) -> Policy:
        """Put a changed policy, or (None) that of the settings, in force; returns it when it is everywhere.

        Raises StoreAway, TooLoose.
        """
        for _ in range(AGREEMENTS):
            await self.agree()
            state = self.policies.changed(name, who, policy)
            if await self.windows.replace_policies(self.policies.revision, state.revision, encode(state)):
                self.policies.state = state
                in_force = self.policies[name]
                if name == POSTS.name:
                    # until then posts may be published, and told of, by the rate that was in force
                    await asyncio.sleep(LEASE_SECONDS + TOLD_SECONDS)
                return in_force
        raise StoreAway("the policies change too fast")

    async def agree(self) -> None:
        """Learn which policies are in force; put back what Redis has lost. Raises StoreAway."""
        known = self.policies.state
        revision, text = await self.windows.read_policies()
        found = decode(text)
        if found.revision == revision >= known.revision:
            self.policies.state = found
            return
        if revision >= known.revision:
            # what is there cannot be read
            known = msgspec.structs.replace(known, revision=revision + 1)
        if await self.windows.replace_policies(revision, known.revision, encode(known)):
            self.policies.state = known
            _log.warning("Redis had lost the changed policies; they were put back.", revision=known.revision)

    async def _submit(self, checks: Sequence[Check]) -> list[Verdict]:
        if not self.breaker.allows():
            raise StoreAway("the breaker is open")
        future: asyncio.Future[list[Verdict]] = asyncio.get_running_loop().create_future()
        self._waiting.append((checks, future))
        if self._task is None:
            self._task = asyncio.create_task(self._decide_all(), name="decisions")
        return await future

    async def _decide_all(self) -> None:
        """Decide until nothing waits."""
        while self._waiting:
            batch = [self._waiting.popleft()]
            size = len(batch[0][0])
            while self._waiting and size + len(self._waiting[0][0]) <= CHECKS_MAX:
                size += len(self._waiting[0][0])
                batch.append(self._waiting.popleft())
            await self._decide(batch)
        self._task = None

    async def _decide(self, batch: Sequence[tuple[Sequence[Check], asyncio.Future[list[Verdict]]]]) -> None:
        try:
            verdicts = await self._judge([check for checks, _ in batch for check in checks])
        except Exception as error:  # noqa: BLE001 - it is each caller's to handle
            self.breaker.failed()
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
            return
        self.breaker.succeeded()
        self._sizes.observe(len(verdicts))
        rest = iter(verdicts)
        for checks, future in batch:
            own = [next(rest) for _ in checks]
            if not future.done():
                future.set_result(own)

    async def _judge(self, checks: Sequence[Check]) -> list[Verdict]:
        """Judge by the policies in force: when they are others than thought, learn them first."""
        for _ in range(AGREEMENTS):
            revision = self.policies.revision
            policies = {name: self.policies[name] for name in {check.policy for check in checks}}
            judged = await self.windows.judge(revision, policies, checks)
            if judged is not None:
                return [verdict_on(policies[check.policy], one) for check, one in zip(checks, judged, strict=True)]
            await self.agree()
        raise StoreAway("the policies change too fast")


def verdict_on(policy: Policy, judged: Judged) -> Verdict:
    state, used, reset, retry = judged
    return Verdict(
        allowed=state != REFUSED,
        limit=policy.quota,
        window=policy.window,
        remaining=max(0, policy.quota - used),
        reset_after=reset,
        retry_after=retry,
        repeated=state == COUNTED_BEFORE,
        shadow=state == SHADOW,
    )


def word_for(verdict: Verdict) -> str:
    """The verdict in the words of the metric."""
    if not verdict.allowed:
        return "denied"
    if verdict.shadow:
        return "shadow_denied"
    return "near" if verdict.limit - verdict.remaining >= NEAR * verdict.limit else "allowed"
