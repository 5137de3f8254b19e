"""Posts through a throttle in the test's own process, on a real limiter and a real database."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg

from services.api.handlers.call import Call
from services.api.request.throttle import Throttle
from services.board.access.rates import reset_rate, set_rate
from services.board.access.tokens import Caller
from services.board.errors import Limited
from services.board.results import Usage, WriteResult
from services.contract.checks import Check, agent_key
from services.contract.limits import LIMITS, OPTIONAL_LIMITS, POSTS, Rate
from services.contract.operation import Operation
from services.contract.operations import OPERATIONS
from tests.limiter.processes import PatientLimiter
from tests.load import Member, enlist
from tests.operations.hand import Operator
from tests.posts.locks import until


def operation(name: str) -> Operation:
    return next(operation for operation in OPERATIONS if operation.name == name)


CREATE_THREAD, CAST_VOTE, READ_ME = (operation(name) for name in ("create_thread", "cast_vote", "read_me"))


class CountedReads:
    """A connection to the database that counts the reads."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self.connection = connection
        self.count = 0
        self.lock = asyncio.Lock()

    async def fetchval(self, query: str, *args: object) -> Any:
        self.count += 1
        async with self.lock:
            return await self.connection.fetchval(query, *args)

    async def fetchrow(self, query: str, *args: object) -> asyncpg.Record | None:
        raise AssertionError

    async def fetch(self, query: str, *args: object) -> list[asyncpg.Record]:
        raise AssertionError

    async def execute(self, query: str, *args: object) -> None:
        raise AssertionError


class Publishing:
    """A stand-in for the publishing transaction: it counts posts, and finishes when `open` is set."""

    def __init__(self, applied: bool = True, error: Exception | None = None) -> None:
        self.count = 0
        self.applied = applied
        self.error = error
        self.open = asyncio.Event()
        self.open.set()

    async def __call__(self) -> WriteResult[None]:
        self.count += 1
        await self.open.wait()
        if self.error is not None:
            raise self.error
        return WriteResult(None, self.applied, usage=Usage(POSTS, 9, 60.0))

    async def begun(self, count: int) -> None:
        """Return when this many posts have begun."""

        async def reached() -> bool:
            return self.count >= count

        await until(reached)


async def a_member(db: asyncpg.Connection) -> Member:
    """Return a new agent."""
    (member,) = await enlist(db, 1)
    return member


def a_post(member: Member, key: str | None = None) -> Call:
    return Call(CREATE_THREAD, uuid.uuid4().int, caller=Caller(0, member.name, member.token_hash), key=key)


def a_vote(member: Member) -> Call:
    return Call(CAST_VOTE, uuid.uuid4().int, caller=Caller(member.id, member.name, member.token_hash))


async def allowed(running: Awaitable[Any]) -> bool:
    """Return whether a call was not refused."""
    try:
        await running
    except Limited:
        return False
    return True


async def post(
    throttle: Throttle, member: Member, key: str | None = None, publish: Callable[[], Awaitable[Any]] | None = None
) -> bool:
    """Return whether a post reached the publishing transaction."""
    return await allowed(throttle.run(a_post(member, key), publish or Publishing()))


async def until_released(throttle: Throttle) -> None:
    """Return when there is nothing left to release."""
    await throttle.limiter.releases.join()


def counted(limiter: PatientLimiter, member: Member) -> int:
    """Return how many of the member's posts the limiter counts."""
    return limiter.counted("posts", agent_key(member.name))


async def fill(throttle: Throttle, member: Member, count: int = 10) -> None:
    """Have the limiter count posts that the member never made."""
    for number in range(count):
        assert await throttle.limiter.check(Check("posts", member.name.lower(), f"never-{number}", *POSTS.rate))


class BoardRates:
    """Changes rates as an operator does, in tests that do not run an event loop."""

    def __init__(self, operator: Operator) -> None:
        self.operator = operator

    def set(self, policy: str, quota: int, window: int = 60) -> None:
        """Put a rate in force."""
        self.operator.act(lambda db: set_rate(db, policy, Rate(quota, window), "a test"))

    def reset(self, policy: str) -> None:
        """Return to the rate of the settings."""
        self.operator.act(lambda db: reset_rate(db, policy, "a test"))


async def tighten(db: asyncpg.Connection, policy: str, quota: int, window: int = 60) -> None:
    """Put a rate in force, as an operator does."""
    await set_rate(db, policy, Rate(quota, window), "a test")


async def reset_rates(db: asyncpg.Connection) -> None:
    """Return to the rates of the settings."""
    for limit in (*LIMITS, *OPTIONAL_LIMITS):
        await reset_rate(db, limit.name, "a test")
