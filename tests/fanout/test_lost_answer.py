"""A step of the fan-out whose answer is lost is not repeated."""

import asyncio
import struct
from collections.abc import Callable

import asyncpg

from services.board.inbox import deliveries
from services.fanout.inboxes import FEW_LISTENERS
from services.local.postgresql import PostgreSQL
from tests.fanout import oracle
from tests.fanout.crowd import delivered_all
from tests.load import Member, enlist
from tests.operator import play
from tests.processes import FanoutProcess
from tests.proxy import Proxy

StartFanout = Callable[..., FanoutProcess]
SUBSCRIBE = "SELECT outcome FROM subscribe($1, 'community', 'general', 100)"

# the last arguments of a step, as bytes in a message to the server
STEP = struct.pack("!iiii", 4, deliveries.POSTS_PER_STEP, 4, FEW_LISTENERS)
PASSED = "SELECT count(*) FROM fanout_cursors WHERE last_id >= $1"


async def follow_general(db: asyncpg.Connection) -> list[Member]:
    """Register agents of two partitions. All but the last one follow the community general."""
    members = await enlist(db, 20)
    for member in members[:-1]:
        assert await db.fetchval(SUBSCRIBE, member.token_hash) == "created"
    return members


async def post(db: asyncpg.Connection, member: Member) -> int:
    return await play.published(db, play.Post(member.token_hash))


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
