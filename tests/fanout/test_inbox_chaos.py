"""Every inbox holds each event once and in order, even if processes are killed, frozen or restarted, or fall behind."""

import asyncio
import random
import re
import signal
import struct
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

from services.board.database.connections import writing_connection
from services.board.inbox import deliveries
from services.fanout.inboxes import FEW_LISTENERS
from services.local.postgresql import PostgreSQL
from tests.databases import CopyServer
from tests.fanout import oracle
from tests.fanout.crowd import Connect, Crowd, delivered_all
from tests.load import Member, enlist
from tests.operator import play
from tests.posts.locks import HOLD, until
from tests.processes import FanoutProcess
from tests.proxy import Proxy

StartFanout = Callable[..., FanoutProcess]
KILL_EVERY_SECONDS = 1.0
SUBSCRIBE = "SELECT outcome FROM subscribe($1, 'community', 'general', 100)"

# the insert of an event of agent 1
HOLD_EVENT = HOLD.format(event="BEFORE INSERT ON inbox", condition="NEW.agent_id = 1")
HELD = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
# the last arguments of a step, as bytes in a message to the server
STEP = struct.pack("!iiii", 4, deliveries.POSTS_PER_STEP, 4, FEW_LISTENERS)
LAST_ID = "SELECT last_id FROM fanout_cursors WHERE partition = $1"
PASSED = "SELECT count(*) FROM fanout_cursors WHERE last_id >= $1"


async def check(crowd: Crowd, db: asyncpg.Connection, at_least: int = 1000) -> None:
    """Wait until everything is delivered, and compare every inbox with the oracle and with what was read of it."""
    await delivered_all(db)
    inboxes = await oracle.check(db)
    assert len(inboxes) >= at_least
    await crowd.check_readers(db, inboxes)


def some(processes: list[FanoutProcess], chance: random.Random) -> FanoutProcess:
    return chance.choice([process for process in processes if process.running.poll() is None])


async def test_two_workers_under_load(db: asyncpg.Connection, connect: Connect, start_fanout: StartFanout) -> None:
    workers = [await asyncio.to_thread(start_fanout) for _ in range(2)]
    async with Crowd(connect, db) as crowd:
        await crowd.posts(800)
    await check(crowd, db)
    # these two should have done all the work between them
    assert sum(metric(worker, "agent_board_inbox_events_total") for worker in workers) > 0


@pytest.mark.parametrize("away_seconds", [1, pytest.param(10, marks=pytest.mark.slow)])
async def test_the_fanout_is_frozen_for_a_while(
    db: asyncpg.Connection, connect: Connect, start_fanout: StartFanout, away_seconds: int
) -> None:
    workers = [await asyncio.to_thread(start_fanout) for _ in range(2)]
    async with Crowd(connect, db, seed=1) as crowd:
        await crowd.posts(200)
        for worker in workers:
            worker.signal(signal.SIGSTOP)
        # subscriptions paused, resumed and deleted meanwhile should make no difference
        back = asyncio.get_running_loop().time() + away_seconds
        while asyncio.get_running_loop().time() < back:
            await crowd.posts(40)
        for worker in workers:
            worker.signal(signal.SIGCONT)
        await crowd.posts(100)
    # how many posts there were meanwhile depends on the machine
    await check(crowd, db, at_least=500)


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.slow)])
async def test_workers_are_killed_all_the_time(
    db: asyncpg.Connection, connect: Connect, start_fanout: StartFanout, kills: int
) -> None:
    chance = random.Random(2)
    workers = [await asyncio.to_thread(start_fanout) for _ in range(4)]
    async with Crowd(connect, db, seed=2) as crowd, asyncio.timeout(4 * kills + 60):
        for kill in range(1, kills + 1):
            await crowd.posts(60)
            victim = some(workers, chance)
            victim.kill()
            victim.launch()
            await asyncio.sleep(KILL_EVERY_SECONDS * chance.random())
            # two to four of them should run
            if kill % 3 == 0:
                await asyncio.to_thread(victim.wait_until_ready)
    await check(crowd, db, at_least=300)


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


@pytest.fixture
def server(own_server: CopyServer, tmp_path: Path) -> Iterator[PostgreSQL]:
    """A server that a test may stop and kill."""
    with own_server(tmp_path / "server") as server:
        yield server


@pytest.mark.parametrize(
    ("interrupt", "outages"),
    [
        (PostgreSQL.kill, 1),
        pytest.param(PostgreSQL.kill, 3, marks=pytest.mark.slow),
        pytest.param(PostgreSQL.stop, 3, marks=pytest.mark.slow),
    ],
)
async def test_the_fanout_survives_outages_of_the_database(
    server: PostgreSQL, start_fanout: StartFanout, interrupt: Callable[[PostgreSQL], None], outages: int
) -> None:
    url = server.url()

    def connect() -> Coroutine[None, None, asyncpg.Connection]:
        return writing_connection(url, application_name="a test")

    workers = [await asyncio.to_thread(start_fanout, DATABASE_URL=url) for _ in range(2)]
    before = await connect()
    async with Crowd(connect, before, seed=3) as crowd:
        for _ in range(outages):
            await crowd.posts(150)
            await asyncio.to_thread(interrupt, server)
            await unready(workers[0])
            await asyncio.to_thread(server.start)
        await crowd.posts(150)
    before.terminate()
    db = await connect()
    try:
        await check(crowd, db, at_least=300)
    finally:
        await db.close()
