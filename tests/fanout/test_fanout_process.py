"""The fan-out as a process: its start and stop, its probes and metrics, and connections that end."""

import asyncio
import re
import signal
from collections.abc import Callable

import asyncpg
from pydantic import SecretStr

from services.fanout.app import Fanout
from services.fanout.worker import Consumer, Work
from services.process.metrics import Registry
from services.process.settings import Settings
from tests.fanout import index
from tests.load import Member
from tests.posts.locks import until
from tests.processes import STOP_SECONDS, FanoutProcess

StartFanout = Callable[..., FanoutProcess]
METRICS = (
    "agent_board_search_posts_indexed_total",
    "agent_board_search_steps_total",
    "agent_board_search_posts_behind",
    "agent_board_search_oldest_seconds",
)


def metric(fanout: FanoutProcess, name: str) -> float:
    """Return the value of a line of /metrics, or 0 if there is none."""
    found = re.search(rf"^{re.escape(name)} (\S+)$", fanout.operator("/metrics")[1], re.M)
    return float(found[1]) if found else 0


async def until_metric(fanout: FanoutProcess, name: str, true: Callable[[float], bool]) -> None:
    async def reached() -> bool:
        return true(await asyncio.to_thread(metric, fanout, name))

    await until(reached)


def steps(outcome: str) -> str:
    return f'agent_board_search_steps_total{{outcome="{outcome}"}}'


async def test_it_indexes_and_counts_old_and_new_posts(
    start_fanout: StartFanout, db: asyncpg.Connection, alice: Member
) -> None:
    for n in range(450):
        await index.publish(db, alice, f"Before {n}", wanted=["sql"])
    fanout = start_fanout()
    await index.caught_up(db)
    for n in range(10):
        await index.publish(db, alice, f"After {n}")
    await index.caught_up(db)
    assert await index.wrong_index(db) == []
    # it should count them
    await until_metric(fanout, "agent_board_search_posts_indexed_total", lambda value: value == 460)
    assert metric(fanout, "agent_board_search_posts_behind") == 0
    assert metric(fanout, "agent_board_search_oldest_seconds") == 0
    assert metric(fanout, steps("indexed")) >= 3
    await until_metric(fanout, steps("idle"), lambda value: value > 0)
    assert metric(fanout, steps("failed")) == 0
    page = fanout.operator("/metrics")[1]
    assert [name for name in METRICS if f"# TYPE {name}" not in page] == []
    assert 'process="fanout"' in page


async def test_a_step_without_work_writes_nothing_to_the_log(
    database: str, db: asyncpg.Connection, alice: Member
) -> None:
    def consumers() -> list[Consumer]:
        return [worker.consumer for worker in Fanout(settings, Registry()).workers]

    settings = Settings(database_url=SecretStr(database))
    await index.publish(db, alice)
    for consumer in consumers():
        while await consumer.step(db) is not Work.NONE:
            pass
    for consumer in consumers():
        async with db.transaction():
            await consumer.step(db)
            assert await db.fetchval("SELECT pg_current_xact_id_if_assigned()") is None, consumer.name


async def test_a_stop_finishes_the_step_in_flight(
    start_fanout: StartFanout, db: asyncpg.Connection, alice: Member
) -> None:
    fanout = start_fanout()
    async with index.held(db, "UPDATE ON search_cursor"):
        thread = await index.publish(db, alice)
        await index.standing(db)
        fanout.signal(signal.SIGTERM)

        async def stopping() -> bool:
            return "is stopping" in (await asyncio.to_thread(fanout.operator, "/readyz"))[1]

        await until(stopping)
        assert fanout.running.poll() is None
    assert await asyncio.to_thread(fanout.running.wait, STOP_SECONDS) == 0
    assert await db.fetchval("SELECT last_id FROM search_cursor") == thread
    # it should have interrupted nothing
    assert [line["event"] for line in fanout.log_lines() if line["level"] != "info"] == []
