"""Every limited call asks the limiter first, and gives back what it did not use.

A refusal by the limiter is final, except for a replay, which is answered. While the limiter is away,
posts go straight to the publishing transaction, which checks each of them exactly, and other calls pass.
"""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import InitVar, dataclass
from typing import Any, Final, TypeVar

from cachetools import LRUCache
from msgspec import structs
from prometheus_client import Counter

from services.api.cache.change_feed import ChangeFeed
from services.api.handlers.call import Call
from services.api.limiter_client import LimiterClient
from services.board.access.freezes import FreezeInForce
from services.board.access.rates import RatesInForce
from services.board.database.connections import Database
from services.board.errors import Frozen, Limited, OutcomeUnknown, is_bad_token
from services.board.posts.publications import has_post
from services.board.results import Usage, WriteResult
from services.contract.checks import Check, Verdict, agent_key
from services.contract.limits import FAILED_LOGINS, POSTS, Limit
from services.process.metrics import Registry

ADDRESSES_MAX: Final = 10_000
# A client that continues after a refusal waits for each further one, so that its flood costs others little.
REFUSED_SECONDS: Final = 0.2

Work = Callable[[], Awaitable[Any]]
T = TypeVar("T")


@dataclass(eq=False)
class Throttle:
    """Runs limited calls, or refuses them, by `rates` and `freeze`, which follow `feed`.

    `look_ups` is where keys are looked up.
    """

    limiter: LimiterClient
    feed: ChangeFeed
    rates: RatesInForce
    freeze: FreezeInForce
    look_ups: Database
    registry: InitVar[Registry]

    def __post_init__(self, registry: Registry) -> None:
        # addresses that have sent too many bad tokens, and until when (monotonic seconds) they have
        self.guessing: LRUCache[str, float] = LRUCache(ADDRESSES_MAX)
        self.decided = Counter(
            "agent_board_throttle_calls_total",
            "Limited calls, by policy and verdict: allowed, denied, away (the limiter did not answer).",
            ("policy", "verdict"),
            registry=registry,
        )

    async def close(self) -> None:
        """Stop asking the limiter."""
        await self.limiter.close()

    async def run(self, call: Call, work: Work) -> Any:
        """Do a call's work if its limit allows it, and return the result. Raises Limited, or Frozen instead."""
        limit = call.operation.limit
        if limit is None:
            return await work()
        own, check, verdict = await self.decide(call, limit)
        if verdict is not None and not verdict.allowed and not await self.may_pass(call, limit, verdict):
            await asyncio.sleep(REFUSED_SECONDS)
            if self.freeze.freeze is not None:
                raise Frozen()
            raise Limited(own, check.key, verdict.retry_after)
        try:
            change = await work()
        except OutcomeUnknown:
            raise  # it may have been used
        except Exception as error:
            self.give_back(check, verdict, if_unknown=True)
            if isinstance(error, Frozen):
                await asyncio.sleep(REFUSED_SECONDS)  # it is not counted, so nothing else slows it down
            raise
        if limit is POSTS and not change.applied:
            verdict = self.give_back(check, verdict, if_unknown=False)
        return with_usage(change, own, verdict)

    async def decide(self, call: Call, limit: Limit) -> tuple[Limit, Check, Verdict | None]:
        """Return the limit of a call at the rate in force, the check by it, and the verdict.

        A call waits for the change feed first, unless it has. Only a post does not, because the publishing transaction
        enforces the rate; but no refusal comes from a rate that has been replaced. A doubtful refusal does not wait,
        because the reason for the doubt could be over before the feed answers.
        """
        if limit is not POSTS and call.feed_read is None:
            call.feed_read = await self.feed.catch_up()
        own = self.limit_of(call, limit)
        check = check_of(call, own)
        verdict = await self.ask(check)
        if limit is POSTS and verdict is not None and not verdict.allowed and not self.is_doubtful(verdict):
            await self.feed.catch_up()
            again = self.limit_of(call, limit)
            if again != own:
                own, check = again, check_of(call, again)
                verdict = await self.ask(check)
        return own, check, verdict

    def limit_of(self, call: Call, limit: Limit) -> Limit:
        """Return the limit of a call at the rate in force for its caller."""
        return self.rates.limit_of(limit, call.caller.created if call.caller else 0, time.time())

    async def may_pass(self, call: Call, limit: Limit, verdict: Verdict) -> bool:
        """Return whether a refused call passes: a post that its key has already, and any whose refusal is doubtful."""
        if limit is not POSTS:
            return False
        if self.is_doubtful(verdict):
            return True
        return call.key is not None and await has_post(self.look_ups, call.holder.token_hash, call.key)

    def is_doubtful(self, refusal: Verdict) -> bool:
        """Return whether an outage may have made the refusal of a post: the publishing transaction decides then.

        Checks whose verdicts were lost may have been counted for posts that were never made.
        """
        return self.limiter.may_count_lost_checks(refusal.window)

    async def note_refusal(self, call: Call, limit: Limit) -> None:
        """Count a refused call against its address, by the rate in force. Raises Limited when there were too many."""
        if call.feed_read is None:
            call.feed_read = await self.feed.catch_up()
        own = self.rates.limit(limit)
        check = check_of(call, own)
        verdict = await self.ask(check)
        if verdict is not None and not verdict.allowed:
            if limit is FAILED_LOGINS:
                self.guessing[call.address] = time.monotonic() + verdict.retry_after
            raise Limited(own, check.key, verdict.retry_after)

    def is_guessing(self, address: str) -> bool:
        """Return whether a client address has sent too many bad tokens, and the next one would be one more."""
        until = self.guessing.get(address)
        if until is not None and until <= time.monotonic():
            self.guessing.pop(address, None)
            until = None
        return until is not None

    async def run_guess(self, call: Call, look_up: Callable[[], Awaitable[T]]) -> T:
        """Look up an unknown token. Raises Limited before that if the call's address has sent too many bad ones."""
        if not self.is_guessing(call.address):
            return await look_up()
        # Counted first. If the token is bad, note_refusal asks once more, but a repeat counts only once.
        await self.note_refusal(call, FAILED_LOGINS)
        self.guessing.pop(call.address, None)
        try:
            found = await look_up()
        except BaseException as error:
            if not is_bad_token(error):
                self.release_login(call)
            raise
        self.release_login(call)
        return found

    def release_login(self, call: Call) -> None:
        """Give back the check of a token that was not found to be bad."""
        self.limiter.release(check_of(call, self.rates.limit(FAILED_LOGINS)))

    async def ask(self, check: Check) -> Verdict | None:
        verdict = await self.limiter.check(check)
        self.decided.labels(check.policy, label_of(verdict)).inc()
        return verdict

    def give_back(self, check: Check, verdict: Verdict | None, *, if_unknown: bool) -> Verdict | None:
        """Release what this call has counted, but not what an earlier call with its key has. Return what is left then.

        Without a verdict that is unknown. The repeat of a published post keeps its count then. A refused call does not:
        other processes would refuse the agent too soon.
        """
        counted = if_unknown if verdict is None else verdict.allowed and not verdict.repeated
        if counted:
            self.limiter.release(check)
            verdict = verdict and structs.replace(verdict, remaining=min(verdict.remaining + 1, verdict.limit))
        return verdict


def check_of(call: Call, limit: Limit) -> Check:
    """The check of a call by a limit. Repeats of a post with one Idempotency-Key share its id: only one counts."""
    if limit.key == "address":
        key = call.address
    else:
        key = agent_key(call.holder.name) or f"token:{call.holder.token_hash.hex()[:32]}"
    check_id = f"{call.request_id:032x}"
    if limit.name == POSTS.name and call.key:
        check_id = hashlib.sha256(call.key.encode()).hexdigest()[:32]
    return Check(limit.name, key, check_id, *limit.rate)


def label_of(verdict: Verdict | None) -> str:
    """The metric's label for a verdict."""
    return "away" if verdict is None else "allowed" if verdict.allowed else "denied"


def with_usage(change: WriteResult[Any], limit: Limit, verdict: Verdict | None) -> WriteResult[Any]:
    """The change with what its limit leaves; that of a post is known from PostgreSQL."""
    if verdict is None or change.usage is not None:
        return change
    return structs.replace(change, usage=Usage(limit, verdict.remaining, verdict.reset_after))
