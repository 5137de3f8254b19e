"""A step of the fan-out happens completely or not at all, whenever its worker, its answer or its database is lost."""

import asyncio
import re
import signal
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import asyncpg

from services.board.inbox import deliveries
from services.fanout.inboxes import FEW_LISTENERS
from services.local.postgresql import PostgreSQL
from tests.fanout import oracle
from tests.fanout.crowd import delivered_all
from tests.load import Member, enlist
from tests.operator import play
from tests.posts.locks import HOLD, until
from tests.processes import FanoutProcess
from tests.proxy import Proxy

StartFanout = Callable[..., FanoutProcess]
SUBSCRIBE = "SELECT outcome FROM subscribe($1, 'community', 'general', 100)"

# the insert of an event of agent 1
HOLD_EVENT = HOLD.format(event="BEFORE INSERT ON inbox", condition="NEW.agent_id = 1")
HELD = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
# the last arguments of a step, as bytes in a message to the server
STEP = struct.pack("!iiii", 4, deliveries.POSTS_PER_STEP, 4, FEW_LISTENERS)
LAST_ID = "SELECT last_id FROM fanout_cursors WHERE partition = $1"
PASSED = "SELECT count(*) FROM fanout_cursors WHERE last_id >= $1"


async def follow_general(db: asyncpg.Connection, count: int = 20) -> list[Member]:
    """Register agents of two partitions. All but the last one follow the community general."""
    members = await enlist(db, count)
    for member in members[:-1]:
        assert await db.fetchval(SUBSCRIBE, member.token_hash) == "created"
    return members


async def post(db: asyncpg.Connection, member: Member) -> int:
    return await play.published(db, play.Post(member.token_hash))


async def reaches(db: asyncpg.Connection, partition: int, number: int) -> None:
    """Return when a partition has passed a post."""

    async def reached() -> bool:
        return bool(await db.fetchval(LAST_ID, partition) >= number)

    await until(reached)


@asynccontextmanager
async def held(db: asyncpg.Connection) -> AsyncIterator[None]:
    """Until the block ends, stop every step that writes an event of the first agent."""
    try:
        yield
    finally:
        await db.execute("DELETE FROM held")


async def stands(db: asyncpg.Connection, count: int = 1) -> None:
    """Return when this many steps are stopped."""

    async def reached() -> bool:
        return bool(await db.fetchval(HELD) >= count)

    await until(reached)


async def test_a_worker_frozen_in_the_middle_of_a_step_blocks_nothing_and_repeats_nothing(
    db: asyncpg.Connection, start_fanout: StartFanout
) -> None:
    members = await follow_general(db)
    await db.execute(HOLD_EVENT)
    frozen = await asyncio.to_thread(start_fanout)
    async with held(db):
        first = await post(db, members[-1])
        await stands(db)
        frozen.signal(signal.SIGSTOP)
    # its step should end on the server although the worker is frozen
    await reaches(db, 0, first)
    other = await asyncio.to_thread(start_fanout)
    for _ in range(3):
        last = await post(db, members[-1])
    await reaches(db, 0, last)
    await delivered_all(db)
    frozen.signal(signal.SIGCONT)
    await post(db, members[-1])
    await delivered_all(db)
    await asyncio.to_thread(frozen.wait_until_ready)
    assert len(await oracle.check(db)) == 5 * 19
    assert metric(other, "agent_board_inbox_events_total") >= 3 * 19


async def test_a_step_of_a_worker_that_dies_happens_completely_or_not_at_all(
    db: asyncpg.Connection, start_fanout: StartFanout
) -> None:
    members = await follow_general(db)
    await db.execute(HOLD_EVENT)
    dying = await asyncio.to_thread(start_fanout)
    async with held(db):
        await post(db, members[-1])
        await stands(db)
        dying.kill()
        await asyncio.to_thread(start_fanout)
    await delivered_all(db)
    assert len(await oracle.check(db)) == 19


async def test_a_step_whose_answer_is_lost_is_not_delivered_again(
    db: asyncpg.Connection, database: str, postgresql: PostgreSQL, start_fanout: StartFanout
) -> None:
    members = await follow_general(db)
    async with Proxy(postgresql.port) as proxy:
        worker = await asyncio.to_thread(start_fanout, DATABASE_URL=proxy.url(database))
        await delivered_all(db)
        for ending in (worker.kill, proxy.cut_all):
            await post(db, members[-1])  # the next step's statement is then already prepared
            await delivered_all(db)
            trap = proxy.keep(STEP, answer=True)
            number = await post(db, members[-1])
            await trap.reached()
            # it should be committed although the worker does not receive the answer
            assert await db.fetchval(PASSED, number) == 16
            ending()
            trap.cut()
            if worker.running.poll() is not None:
                await asyncio.to_thread(worker.start)
            await delivered_all(db)
            assert await db.fetchval("SELECT count(*) FROM inbox WHERE event_id = $1", number) == 19
    await oracle.check(db)


async def test_a_step_in_flight_is_finished_before_the_process_ends(
    db: asyncpg.Connection, start_fanout: StartFanout
) -> None:
    members = await follow_general(db)
    await db.execute(HOLD_EVENT)
    worker = await asyncio.to_thread(start_fanout)
    async with held(db):
        await post(db, members[-1])
        await stands(db)
        worker.signal(signal.SIGTERM)
        await unready(worker)
    assert await asyncio.to_thread(worker.terminate) == 0
    # the step in flight should be committed
    assert await db.fetchval(LAST_ID, 0) == 1
    assert await db.fetchval("SELECT count(*) FROM inbox WHERE agent_id < 16") == 15
    await asyncio.to_thread(start_fanout)
    await delivered_all(db)
    await oracle.check(db)


async def unready(worker: FanoutProcess) -> None:
    async def refused() -> bool:
        return (await asyncio.to_thread(worker.operator, "/readyz"))[0] != 200

    await until(refused)


async def test_a_partition_that_fails_does_not_stop_the_others(
    db: asyncpg.Connection, start_fanout: StartFanout
) -> None:
    members = await follow_general(db)
    # an event that the fan-out did not write blocks it
    await db.execute("SELECT make_inbox_partitions()")
    await db.execute("INSERT INTO inbox (agent_id, event_id, kind, subscription_ids) VALUES (1, 2, 4, '{1}')")
    worker = await asyncio.to_thread(start_fanout)
    for _ in range(5):
        last = await post(db, members[-1])
    await reaches(db, 1, last)
    assert await db.fetchval(LAST_ID, 0) < 2
    # it should be counted and reported as behind
    await shows(worker, 'agent_board_inbox_errors_total{kind="UniqueViolationError"}', 1, 99)
    await shows(worker, 'agent_board_inbox_posts_behind{partition="0"}', 4, 5)
    await shows(worker, 'agent_board_inbox_posts_behind{partition="1"}', 0, 0)
    last = await post(db, members[-1])
    await reaches(db, 1, last)
    # it should resume by itself once the cause is removed
    await db.execute("DELETE FROM inbox WHERE agent_id = 1 AND event_id = 2")
    await delivered_all(db)
    await oracle.check(db)


def metric(process: FanoutProcess, line: str) -> float:
    found = re.search(rf"^{re.escape(line)} (\S+)$", process.operator("/metrics")[1], re.M)
    return float(found[1]) if found else 0.0


async def shows(process: FanoutProcess, line: str, least: float, most: float) -> None:
    """Return when a metric is within these bounds: each process measures in every round how far it is behind."""

    async def reached() -> bool:
        return least <= await asyncio.to_thread(metric, process, line) <= most

    await until(reached)
