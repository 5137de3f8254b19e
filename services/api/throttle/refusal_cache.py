"""Refusal cache: which agents PostgreSQL has refused, and until when."""

import asyncio
import time
from typing import Final, NamedTuple

from services.api.cache.bounded import BoundedDict
from services.board.database.connections import Database
from services.board.errors import Limited
from services.board.post_limit import read_standing
from services.contract.limits import POSTS, Rate

AGENTS_MAX: Final = 10_000
CONFIRM_SECONDS: Final = 1.0


class Refusal(NamedTuple):
    """PostgreSQL accepts no post of an agent at a rate until some moment.

    That moment lies between `until` and `latest` of the monotonic clock: PostgreSQL gave it as a time to wait, counted
    from some point between the question and the answer.
    """

    agent_id: int
    rate: Rate
    until: float
    latest: float


class Read:
    """A read of an agent's row, which calls at the same rate share."""

    def __init__(self, rate: Rate, task: "asyncio.Task[Refusal | None]") -> None:
        self.rate = rate
        self.began = time.monotonic()
        self.task = task

    def answers(self, rate: Rate) -> bool:
        """Whether its result is good enough for a call at a rate."""
        if rate != self.rate or not self.task.done():
            return rate == self.rate
        # only PostgreSQL's own rate is enforced once more, so only there may an acceptance be a second old
        fresh = time.monotonic() - self.began < CONFIRM_SECONDS and rate == POSTS.rate
        return fresh and self.task.exception() is None


class RefusalCache:
    """The refusals by token hash. `database` is where the limiter's refusals are confirmed."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.refusals: BoundedDict[bytes, Refusal] = BoundedDict(AGENTS_MAX)
        self.reads: BoundedDict[bytes, Read] = BoundedDict(AGENTS_MAX)

    def busy_seconds(self) -> float:
        """For how long the oldest shared read has been under way; 0 without any."""
        under_way = (read for read in self.reads.entries.values() if not read.task.done())
        return max((time.monotonic() - read.began for read in under_way), default=0.0)

    def find(self, token_hash: bytes, rate: Rate) -> Refusal | None:
        """The refusal in force at a rate."""
        refusal = self.refusals.get(token_hash)
        return refusal if refusal is not None and refusal.rate == rate and time.monotonic() < refusal.until else None

    async def confirm(self, token_hash: bytes, rate: Rate, key: str | None) -> Refusal | None:
        """PostgreSQL's refusal of a post; None when it would accept the post, or has one with this key already.

        Without a key, PostgreSQL is asked at most once a second for each agent, and calls share the answer.
        """
        if key is not None:
            return await self.read(token_hash, rate, key)
        if self.find(token_hash, rate) is None:
            read = self.reads.get(token_hash)
            if read is None or not read.answers(rate):
                read = Read(rate, asyncio.create_task(self.read(token_hash, rate, None), name="refusal-read"))
                self.reads.put(token_hash, read)
            await asyncio.shield(read.task)
        return self.find(token_hash, rate)

    def learn(self, token_hash: bytes, refusal: Limited, asked: float) -> None:
        """Remember a refusal by the publishing transaction, which began after `asked`."""
        self.put(token_hash, refusal.jitter_seed, refusal.limit.rate, asked, refusal.wait)

    async def read(self, token_hash: bytes, rate: Rate, key: str | None) -> Refusal | None:
        # Posts that the limiter has counted may not be committed yet. The publishing transaction waits for them, but
        # it does not know of a stricter rate than that of the settings: for such a rate, look again a little later.
        for pause in (0.0,) if rate == POSTS.rate else (0.0, CONFIRM_SECONDS):
            await asyncio.sleep(pause)
            asked = time.monotonic()
            standing = await read_standing(self.database, token_hash, rate.quota, rate.window, key)
            if standing is None or standing.key_used:
                return None
            if standing.wait > 0:
                return self.put(token_hash, standing.agent_id, rate, asked, standing.wait)
        return None

    def put(self, token_hash: bytes, agent_id: int, rate: Rate, asked: float, wait: float) -> Refusal:
        refusal = Refusal(agent_id, rate, asked + wait, time.monotonic() + wait)
        self.refusals.put(token_hash, refusal)
        return refusal
