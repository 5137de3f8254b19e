"""The fan-out as a process: it stops between steps, and a step without work writes nothing."""

import asyncio
import signal

import asyncpg
from pydantic import SecretStr

from services.fanout.app import Fanout
from services.fanout.worker import Consumer, Work
from services.process.metrics import Registry
from services.process.settings import Settings
from tests.fanout import index
from tests.load import Member
from tests.posts.locks import HOLD_INDEX, let_go, slow_begun, until
from tests.processes import STOP_SECONDS, FanoutProcess


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


async def test_a_stop_finishes_the_step_in_flight(fanout: FanoutProcess, db: asyncpg.Connection, alice: Member) -> None:
    fanout.start()
    await db.execute(HOLD_INDEX)
    thread = await index.publish(db, alice)
    await slow_begun(db)
    fanout.signal(signal.SIGTERM)

    async def stopping() -> bool:
        return "is stopping" in (await asyncio.to_thread(fanout.operator, "/readyz"))[1]

    await until(stopping)
    assert fanout.running.poll() is None
    await let_go(db)
    assert await asyncio.to_thread(fanout.running.wait, STOP_SECONDS) == 0
    assert await db.fetchval("SELECT last_id FROM search_cursor") == thread
    # it should have interrupted nothing
    assert [line["event"] for line in fanout.log_lines() if line["level"] != "info"] == []
