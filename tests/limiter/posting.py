"""Posts by way of a throttle of the test's own process, on a real limiter and a real log."""

import asyncio
import time
import uuid
from collections import Counter
from typing import Any

import asyncpg

from services.api.board import Call
from services.api.throttle import Throttle
from services.board.changes import Change, Usage
from services.board.contract.checks import Check
from services.board.contract.limits import POSTS
from services.board.contract.operations import OPERATIONS
from services.board.errors import Limited
from services.board.tokens import Caller
from tests.limiter.processes import PatientLimiter
from tests.load import Member, enlist
from tests.log.locks import until

CREATE_THREAD = next(operation for operation in OPERATIONS if operation.name == "create_thread")


class Counted:
    """The database's connection, and how often it was asked."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self.connection = connection
        self.asked = 0
        self.lock = asyncio.Lock()

    async def fetchrow(self, query: str, *args: object) -> asyncpg.Record | None:
        self.asked += 1
        async with self.lock:
            return await self.connection.fetchrow(query, *args)

    async def fetch(self, query: str, *args: object) -> list[asyncpg.Record]:
        raise AssertionError

    async def fetchval(self, query: str, *args: object) -> Any:
        raise AssertionError


async def a_member(db: asyncpg.Connection, held: Throttle) -> Member:
    (member,) = await enlist(db, 1)
    held.learn(Caller(member.id, member.name, member.token_hash))
    return member


async def post(
    held: Throttle, member: Member, key: str | None = None, applied: bool = True, until: asyncio.Event | None = None
) -> bool:
    """Whether a post was let through; the judge is not asked. It takes until the event."""
    return await post_as(held, Caller(0, "", member.token_hash), member.name, key, applied, until)


async def post_as(
    held: Throttle,
    caller: Caller,
    name: str = "",
    key: str | None = None,
    applied: bool = True,
    until: asyncio.Event | None = None,
) -> bool:
    call = Call(CREATE_THREAD, uuid.uuid4().int, caller=caller, key=key)

    async def publish() -> Change[None]:
        under_way[name] += 1
        if until is not None:
            await until.wait()
        return Change(None, applied, usage=Usage(POSTS, 9, 60.0))

    try:
        await held.run(call, publish)
    except Limited:
        return False
    return True


under_way: Counter[str] = Counter()


async def until_under_way(held: Throttle, member: Member, count: int) -> None:
    """Return when so many posts of the member have begun, and everything else has gone as far as it can."""

    async def reached() -> bool:
        return under_way[member.name] >= count and not held.limiter.senders

    await until(reached)
    assert under_way[member.name] == count


async def until_all_given_back(held: Throttle) -> None:
    """Return when nothing is left to be given back."""

    async def done() -> bool:
        return held.limiter.releasing is None

    await until(done)


def counted(limiter: PatientLimiter, member: Member) -> int:
    """How many posts of the member count."""
    return len(limiter.operate("GET", f"/windows/agent/{member.name}")[1][0]["calls"])


async def posted(db: asyncpg.Connection, member: Member, *ages: float) -> None:
    """Make these the ages of the member's newest posts, in seconds."""
    now = time.time()
    await db.execute("UPDATE agents SET post_times = $2 WHERE id = $1", member.id, [now - age for age in sorted(ages)])


async def never() -> Change[None]:
    raise AssertionError("nothing should be published")


async def fill(held: Throttle, member: Member, count: int = 10) -> None:
    """Have the limiter refuse the member from now on."""
    for number in range(count):
        assert await held.limiter.check(Check("posts", member.name.lower(), f"never-{number}"))
