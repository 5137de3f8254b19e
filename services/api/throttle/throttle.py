"""The throttle: every limited call asks the limiter first, and gives back what it did not use.

A post that the limiter refuses is answered 429 only if PostgreSQL confirms it, and the publishing transaction checks
every post once more. While the limiter is away, posts go straight to that transaction and other calls pass.
"""

import asyncio
import hashlib
import time
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final, TypeVar

from msgspec import structs

from services.api.cache.bounded import BoundedDict
from services.api.call import Call
from services.board.database.connections import Database
from services.board.errors import InvalidToken, Limited, OutcomeUnknown, RevokedToken, Unavailable
from services.board.results import Usage, WriteResult
from services.board.tokens import Caller
from services.contract.checks import Check, Verdict, agent_key
from services.contract.limits import ACKS, FAILED_LOGINS, POSTS, Limit, Rate
from services.process.metrics import Registry

from .limiter_client import LimiterClient
from .post_slots import PostSlots
from .refusal_cache import RefusalCache

HOLDERS_MAX: Final = 50_000
ADDRESSES_MAX: Final = 10_000
REFUSED_SECONDS: Final = 0.02
# Calls under these limits count only if they change something.
UNCHANGED_IS_FREE: Final = (POSTS, ACKS)

Work = Callable[[], Awaitable[Any]]
T = TypeVar("T")


class Throttle:
    """Runs limited calls, or refuses them. `room` is how many posts may wait for a slot."""

    def __init__(self, limiter: LimiterClient, look_ups: Database, registry: Registry, room: int) -> None:
        self.limiter = limiter
        self.slots = PostSlots(room)
        self.refusals = RefusalCache(look_ups)
        # the holder of a token never changes; this is used for limiting and logging only, never for authority
        self.holders: BoundedDict[bytes, Caller] = BoundedDict(HOLDERS_MAX)
        # addresses that had sent too many bad tokens when the limiter was last asked
        self.guessing: BoundedDict[str, bool] = BoundedDict(ADDRESSES_MAX)
        self.decided = registry.count(
            "agent_board_throttle_calls_total",
            "Limited calls, by policy and verdict: allowed, denied, unconfirmed (among the denied: PostgreSQL did not "
            "confirm it), away (the limiter did not answer), held (refused from the cache of refusals).",
            ("policy", "verdict"),
        )

    async def close(self) -> None:
        """Stop asking the limiter."""
        await self.limiter.close()

    def knows(self, token_hash: bytes) -> bool:
        """Whether the holder of a token is known."""
        return self.holder_of(token_hash) is not None

    def holder_of(self, token_hash: bytes) -> Caller | None:
        """The holder of a token; without an id if the token's first use may not be recorded. None if unknown."""
        return self.holders.get(token_hash)

    def learn(self, holder: Caller) -> None:
        """Remember the holder of a token."""
        self.holders.put(holder.token_hash, holder)

    def forget(self, token_hash: bytes) -> None:
        """Forget a token that was refused."""
        self.holders.drop(token_hash)

    async def run(self, call: Call, work: Work) -> Any:
        """Do a call's work if its limit allows it, and return the result. Raises Limited."""
        limit = call.operation.limit
        if limit is None:
            return await work()
        if limit is not POSTS:
            return await self.run_counted(call, limit, work)
        agent = call.caller.token_hash
        try:
            await self.slots.take(agent, call.key)
        except Unavailable as late:
            raise (self.known_refusal(call) or late) from None
        try:
            await self.refuse_again(call)
            return await self.run_counted(call, limit, work)
        finally:
            self.slots.free(agent, call.key)

    async def note_refusal(self, call: Call, limit: Limit) -> None:
        """Count a refused call against its address. Raises Limited when there were too many."""
        check = refusal(call, limit)
        verdict = await self.ask(check)
        if verdict is not None and not verdict.allowed:
            if limit is FAILED_LOGINS:
                self.guessing.put(call.address, True)
            raise limited(limit, verdict, zlib.crc32(check.key.encode()))

    async def run_look_up(self, call: Call, token_hash: bytes, look_up: Callable[[], Awaitable[T]]) -> T:
        """Look up a token. Raises Limited before that if the call's address has sent too many bad ones.

        Tokens that this process has issued, or has seen to work, are looked up in any case.
        """
        if self.knows(token_hash) or self.guessing.get(call.address) is None:
            return await look_up()
        # Counted first. If the token is bad, note_refusal asks once more, but a repeat counts only once.
        await self.note_refusal(call, FAILED_LOGINS)
        self.guessing.drop(call.address)
        try:
            found = await look_up()
        except (InvalidToken, RevokedToken):
            raise
        except BaseException:
            self.limiter.release(refusal(call, FAILED_LOGINS))
            raise
        self.limiter.release(refusal(call, FAILED_LOGINS))
        return found

    async def refuse_again(self, call: Call) -> None:
        """Raise Limited for a post whose refusal is known.

        An agent that goes on after a refusal keeps its slot a little longer, so that its flood costs others nothing.
        """
        if self.refusals.find(call.caller.token_hash, POSTS.rate) is not None:
            await asyncio.sleep(REFUSED_SECONDS)
            if refusal := self.known_refusal(call):
                raise refusal

    def known_refusal(self, call: Call) -> Limited | None:
        """The refusal of a post from the cache; None for a post with a key, which may be published already.

        Refusals at the rate of the settings hold whatever rate is in force, which can only be stricter.
        """
        refusal = self.refusals.find(call.caller.token_hash, POSTS.rate)
        if refusal is None or call.key is not None:
            return None
        self.decided.add(POSTS.name, "held")
        return Limited(POSTS, refusal.agent_id, refusal.latest - time.monotonic())

    async def run_counted(self, call: Call, limit: Limit, work: Work) -> Any:
        """Do a call's work if the limiter and, for posts, PostgreSQL do not refuse it."""
        check = self.check_of(call, limit)
        verdict = await self.ask(check)
        if verdict is not None and not verdict.allowed:
            await self.refuse(call, limit, check, verdict)
        began = time.monotonic()
        try:
            change = await work()
        except OutcomeUnknown:
            raise  # it may have been used
        except Exception as error:
            self.give_back(check, verdict)
            if isinstance(error, Limited) and limit is POSTS:
                self.refusals.learn(call.caller.token_hash, error, began)
            raise
        if limit in UNCHANGED_IS_FREE and not change.applied:
            verdict = self.give_back(check, verdict)
        return with_usage(change, limit, verdict)

    def check_of(self, call: Call, limit: Limit) -> Check:
        """The check of a call. Repeats with one Idempotency-Key share its id, so that only one of them counts."""
        if limit.key == "address":
            key = call.address
        else:
            key = agent_key(call.caller.name) or f"token:{call.caller.token_hash.hex()[:32]}"
        check_id = f"{call.request_id:032x}"
        if limit is POSTS and call.key:
            check_id = hashlib.sha256(call.key.encode()).hexdigest()[:32]
        return Check(limit.name, key, check_id)

    async def ask(self, check: Check) -> Verdict | None:
        verdict = await self.limiter.check(check)
        self.decided.add(check.policy, label_of(verdict))
        return verdict

    async def refuse(self, call: Call, limit: Limit, check: Check, verdict: Verdict) -> None:
        """Raise Limited. Return for a post that PostgreSQL would accept, or that it has already."""
        if limit is not POSTS:
            spread = call.caller.id if limit.key == "agent" else zlib.crc32(check.key.encode())
            raise limited(limit, verdict, spread)
        rate = Rate(verdict.limit, verdict.window)
        refusal = await self.refusals.confirm(call.caller.token_hash, rate, call.key)
        if refusal is not None:
            raise limited(limit, verdict, refusal.agent_id, refusal.latest - time.monotonic())
        self.decided.add(limit.name, "unconfirmed")

    def give_back(self, check: Check, verdict: Verdict | None) -> Verdict | None:
        """Release what this call has counted, but not what an earlier call with its key has. Return what is left then.

        Without a verdict that is unknown. A post keeps its count then, because the earlier call may have published it;
        if that leads to a refusal, PostgreSQL does not confirm it.
        """
        counted = (
            check.policy != POSTS.name
            if verdict is None
            else verdict.allowed and not verdict.repeated and not verdict.shadow
        )
        if counted:
            self.limiter.release(check)
            verdict = verdict and structs.replace(verdict, remaining=min(verdict.remaining + 1, verdict.limit))
        return verdict


def refusal(call: Call, limit: Limit) -> Check:
    """The check of a call that was refused."""
    return Check(limit.name, call.address, f"{call.request_id:032x}")


def label_of(verdict: Verdict | None) -> str:
    """The metric's label for a verdict."""
    return "away" if verdict is None else "allowed" if verdict.allowed else "denied"


def limited(limit: Limit, verdict: Verdict, spread: int, wait: float | None = None) -> Limited:
    """The refusal at the rate in force."""
    return Limited(at_rate(limit, verdict), spread, verdict.retry_after if wait is None else wait)


def at_rate(limit: Limit, verdict: Verdict) -> Limit:
    """The limit at the rate in force."""
    if limit.rate == (verdict.limit, verdict.window):
        return limit
    return replace(limit, quota=verdict.limit, window=verdict.window)


def with_usage(change: WriteResult[Any], limit: Limit, verdict: Verdict | None) -> WriteResult[Any]:
    """The change with what its limit leaves: by PostgreSQL for posts, unless a stricter rate is in force."""
    if verdict is None or (change.usage is not None and limit.rate == (verdict.limit, verdict.window)):
        return change
    return structs.replace(change, usage=Usage(at_rate(limit, verdict), verdict.remaining, verdict.reset_after))
