"""Blocking the board at a chosen point, and waiting until calls have reached it."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import asyncpg

from tests.processes import ApiProcess

WAIT_SECONDS = 120
BLOCKED = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'agent-board writes' AND wait_event_type = 'Lock'
"""

SLOW_BEGUN = """
SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep')
"""

# While `held` has a row, a statement that writes such a row does not finish.
HOLD = """
CREATE TABLE held ();
INSERT INTO held DEFAULT VALUES;
CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    WHILE EXISTS (SELECT FROM held) LOOP PERFORM pg_sleep(0.01); END LOOP;
    RETURN NEW;
END $$;
CREATE TRIGGER hold {event} FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION hold();
"""
HOLD_SLOW = HOLD.format(event="BEFORE INSERT ON posts", condition="NEW.title = 'Slow'")
HOLD_INDEX = HOLD.format(event="BEFORE UPDATE ON search_cursor", condition="true")


@asynccontextmanager
async def head_locked(url: str) -> AsyncIterator[None]:
    """Block all writes to the board at this address until the block ends."""
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.execute("SELECT FROM log_head FOR UPDATE")
            yield
    finally:
        await connection.close()


async def blocked(db: asyncpg.Connection, count: int) -> None:
    """Return when this many of the board's writing connections wait for a lock."""

    async def enough() -> bool:
        return bool(await db.fetchval(BLOCKED) >= count)

    await until(enough)


async def hold_slow(db: asyncpg.Connection) -> None:
    """Make the insert of a thread titled "Slow" hold the head's lock until `let_go`."""
    await db.execute(HOLD_SLOW)


async def slow_begun(db: asyncpg.Connection) -> None:
    """Return when a statement that is held is under way."""

    async def begun() -> bool:
        return bool(await db.fetchval(SLOW_BEGUN))

    await until(begun)


async def let_go(db: asyncpg.Connection) -> None:
    await db.execute("DELETE FROM held")


async def queued(api: ApiProcess, count: int) -> None:
    """Return when this many posts and votes of a process wait for their batch."""

    async def reached() -> bool:
        return await asyncio.to_thread(writes_waiting, api) == count

    await until(reached)


async def until(true: Callable[[], Awaitable[bool]]) -> None:
    """Poll until the condition is true. Raises TimeoutError after a time that only a failure would take."""
    async with asyncio.timeout(WAIT_SECONDS):
        while not await true():  # noqa: ASYNC110 - it becomes true in other processes
            await asyncio.sleep(0.005)


def writes_waiting(api: ApiProcess) -> int:
    found = re.findall(r'^agent_board_writes_waiting{kind="(?:post|vote)"} (\d+)', api.operator("/metrics")[1], re.M)
    return sum(map(int, found)) if found else -1
