"""How often a caller may do what: asks the limiter before a limited call, and gives back what the call did not use.

The limiter is the shield, the publishing transaction is the judge (architecture 6): while the limiter is away, posts go
straight to the judge and other calls pass; a post that the limiter refuses is refused only if the log confirms it; and
where the limiter would only say what the log says, a post is published while it is asked.
"""

import asyncio
import hashlib
import time
import zlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from services.board.changes import Change, Usage
from services.board.contract.checks import LEASE_SECONDS, Check, Verdict, agent_key
from services.board.contract.limits import FAILED_LOGINS, POSTS, Limit, Rate
from services.board.errors import Limited, OutcomeUnknown, Unavailable
from services.board.process.metrics import Registry
from services.board.tokens import Caller, Database

from .board import Call
from .holds import Holds
from .limiter_client import LimiterClient
from .recent import Recent
from .telling import Telling, Told
from .turns import Turns

NAMES_MAX: Final = 50_000
REFUSED_SECONDS: Final = 0.02

Work = Callable[[], Awaitable[Any]]


class Throttle:
    """Lets limited calls happen as often as they may. `room` is how many posts may wait for their turn."""

    def __init__(self, limiter: LimiterClient, look_ups: Database, registry: Registry, room: int) -> None:
        self.limiter = limiter
        self.telling = Telling(limiter, self.note_told)
        self.turns = Turns(room)
        # whose a token is never changes; it is used for limiting alone, never for authority
        self.names: Recent[bytes, str] = Recent(NAMES_MAX)
        self.holds = Holds(look_ups)
        # until when the rate of the settings is known to be in force for posts, and whether another is
        self.judged_until = 0.0
        self.tightened = False
        self.decided = registry.count(
            "agent_board_throttle_calls_total",
            "Limited calls, by policy and verdict: allowed, denied, unconfirmed (denied by the limiter but not by the "
            "log), away (the limiter did not answer), held (refused without asking: the log had said until when).",
            ("policy", "verdict"),
        )

    async def close(self) -> None:
        """Tell the limiter what it is to know yet, and stop asking; it takes 0.15 s at most."""
        await self.telling.close()
        await self.limiter.close()

    def knows(self, token_hash: bytes) -> bool:
        """Whether it is known whose a token is."""
        return self.names.get(token_hash) is not None

    def learn(self, holder: Caller) -> None:
        """Remember whose a token is."""
        self.names.put(holder.token_hash, agent_key(holder.name))

    async def run(self, call: Call, work: Work) -> Any:
        """Do a call's work if its limit allows it, and return what it did. Raises Limited."""
        limit = call.operation.limit
        if limit is None:
            return await work()
        if limit is not POSTS:
            return await self.counted(call, limit, work)
        try:
            await self.turns.take(call.caller.token_hash, call.key)
        except Unavailable as late:
            raise (self.held(call, limit) or late) from None
        try:
            await self.keep_waiting(call, limit)
            return await self.counted(call, limit, work)
        finally:
            self.turns.end(call.caller.token_hash, call.key)

    async def note_failed_login(self, call: Call) -> None:
        """Count a call with a bad token against its address. Raises Limited when there were too many."""
        check = Check(FAILED_LOGINS.name, call.address, f"{call.request_id:032x}")
        verdict = await self.ask(FAILED_LOGINS, check)
        if verdict is not None and not verdict.allowed:
            raise limited(FAILED_LOGINS, verdict, zlib.crc32(check.key.encode()))

    async def keep_waiting(self, call: Call, limit: Limit) -> None:
        """Return when a post may be tried. Raises Limited when the log has said that it takes none yet.

        An agent that is refused and goes on keeps its turns, of which it has two, a little longer: so its flood costs
        others nothing.
        """
        if self.holds.of(call) is not None:
            await asyncio.sleep(REFUSED_SECONDS)
            if refusal := self.held(call, limit):
                raise refusal

    async def counted(self, call: Call, limit: Limit, work: Work) -> Any:
        if self.goes_ahead(call, limit):
            return await self.ahead(call, limit, work)
        check = self.check_of(call, limit)
        verdict = await self.ask(limit, check)
        if verdict is not None and not verdict.allowed:
            await self.refuse(call, limit, check, verdict)
        began = time.monotonic()
        try:
            change = await work()
        except OutcomeUnknown:
            raise  # it may have been used
        except Exception as error:
            self.give_back(check, verdict)
            self.holds.learn_refusal(call, error, began)
            raise
        if limit is POSTS and not change.applied:
            self.give_back(check, verdict)
        return with_usage(change, limit, verdict)

    async def ahead(self, call: Call, limit: Limit, work: Work) -> Any:
        """Publish while the limiter is told: a refusal of its own would be for the judge to confirm."""
        began = time.monotonic()
        told = self.telling.tell(self.check_of(call, limit, made=True))
        try:
            change = await work()
        except OutcomeUnknown:
            self.conclude(told, used=True)
            raise
        except Exception as error:
            self.conclude(told, used=False)
            self.holds.learn_refusal(call, error, began)
            raise
        self.conclude(told, change.applied)
        if change.usage is not None:
            return change
        await asyncio.shield(told.answered)
        return with_usage(change, limit, told.verdict)

    def conclude(self, told: Told, used: bool) -> None:
        """Take note of what became of a post that went ahead."""
        told.used = used
        if told.answered.done():
            self.settle(told)

    def note_told(self, asked_at: float, batch: Sequence[Told]) -> None:
        """Take note of what the limiter says of posts that went ahead."""
        self.learn_rate(asked_at, batch[0].verdict)
        for told in batch:
            self.decided.add(POSTS.name, word_for(told.verdict))
            if told.used is not None:
                self.settle(told)

    def settle(self, told: Told) -> None:
        """Give back what a post did not use; note that it was made against the limiter's word."""
        if not told.used:
            self.give_back(told.check, told.verdict)
        elif told.verdict is not None and not told.verdict.allowed:
            self.decided.add(POSTS.name, "unconfirmed")

    async def ask(self, limit: Limit, check: Check) -> Verdict | None:
        asked_at = time.monotonic()
        verdict = await self.limiter.check(check)
        self.decided.add(limit.name, word_for(verdict))
        if limit is POSTS:
            self.learn_rate(asked_at, verdict)
        return verdict

    def learn_rate(self, asked_at: float, verdict: Verdict | None) -> None:
        """See which rate of posts is in force."""
        if verdict is not None:
            self.tightened = POSTS.rate != (verdict.limit, verdict.window)
            self.judged_until = 0.0 if self.tightened else max(self.judged_until, asked_at + LEASE_SECONDS)

    def goes_ahead(self, call: Call, limit: Limit) -> bool:
        """Whether a post need not wait for the limiter.

        So it is while the rate of the settings is known to be in force, by which the judge goes; but not for an agent
        of whom that takes nothing now.
        """
        return limit is POSTS and time.monotonic() < self.judged_until and self.holds.of(call) is None

    def check_of(self, call: Call, limit: Limit, made: bool = False) -> Check:
        """The check of a call, which may be `made` already.

        The repeat of a keyed one has the same id: while it runs, it is not counted twice.
        """
        if limit.key == "address":
            key = call.address
        else:
            name = agent_key(call.caller.name) or self.names.get(call.caller.token_hash)
            key = name or f"token:{call.caller.token_hash.hex()[:32]}"
        check_id = f"{call.request_id:032x}"
        if limit is POSTS and call.key:
            check_id = hashlib.sha256(call.key.encode()).hexdigest()[:32]
        return Check(limit.name, key, check_id, made)

    async def refuse(self, call: Call, limit: Limit, check: Check, verdict: Verdict) -> None:
        """Raise Limited, but not for a post that the log would take or has already: that is for the judge to say."""
        if limit is not POSTS:
            spread = call.caller.id if limit.key == "agent" else zlib.crc32(check.key.encode())
            raise limited(limit, verdict, spread)
        hold = await self.holds.confirmed(call, Rate(verdict.limit, verdict.window))
        if hold is None:
            self.decided.add(limit.name, "unconfirmed")
        else:
            raise limited(limit, verdict, hold.agent_id, hold.latest - time.monotonic())

    def held(self, call: Call, limit: Limit) -> Limited | None:
        """The refusal of a post that the log has said already it will not take yet: nobody need be asked again."""
        hold = self.holds.of(call)
        if call.key is not None or self.tightened or hold is None or hold.rate != limit.rate:
            return None
        self.decided.add(limit.name, "held")
        return Limited(limit, hold.agent_id, hold.latest - time.monotonic())

    def give_back(self, check: Check, verdict: Verdict | None) -> None:
        """Release what this call has counted; not what it found counted by its first try.

        Without a verdict nobody knows. A post keeps its count then, for its first try may have been made: a refusal for
        it is for the judge to confirm, and ends with the window.
        """
        if verdict is None:
            counted = check.policy != POSTS.name
        else:
            counted = (verdict.allowed or check.made) and not verdict.repeated
        if counted:
            self.limiter.release(check)


def word_for(verdict: Verdict | None) -> str:
    """The verdict in the words of the metric."""
    return "away" if verdict is None else "allowed" if verdict.allowed else "denied"


def limited(limit: Limit, verdict: Verdict, spread: int, wait: float | None = None) -> Limited:
    """The refusal under the rate in force."""
    return Limited(at_rate(limit, verdict), spread, verdict.retry_after if wait is None else wait)


def at_rate(limit: Limit, verdict: Verdict) -> Limit:
    """The limit at the rate in force."""
    if limit.rate == (verdict.limit, verdict.window):
        return limit
    return replace(limit, quota=verdict.limit, window=verdict.window)


def with_usage(change: Change[Any], limit: Limit, verdict: Verdict | None) -> Change[Any]:
    """The change with what its limit leaves; the judge's word on posts holds, unless a stricter rate is in force."""
    if verdict is None or (change.usage is not None and limit.rate == (verdict.limit, verdict.window)):
        return change
    return replace(change, usage=Usage(at_rate(limit, verdict), verdict.remaining, verdict.reset_after))
