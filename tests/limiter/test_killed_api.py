"""The posts that were under way in an API process that was killed count for one window (interface 6.1)."""

import asyncio
from pathlib import Path

import aiohttp
import asyncpg

from tests.limiter.processes import PatientApi, PatientLimiter
from tests.load import Client, enlist
from tests.posts.locks import blocked, head_locked

TERMINATE = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND application_name = 'agent-board writes'"
)


async def test_a_post_that_was_lost_with_its_process_counts(
    limiter: PatientLimiter, database: str, tmp_path: Path
) -> None:
    db = await asyncpg.connect(database)
    (alice,) = await enlist(db, 1)
    settings = {"LIMITER_URL": limiter.url, "LIMIT_POSTS": "2/3600"}

    with PatientApi(database, tmp_path / "killed", **settings) as killed:
        async with head_locked(database), Client(killed.url) as client:
            lost = asyncio.create_task(client.thread(alice))
            await blocked(db, 1)
            await asyncio.to_thread(killed.kill)
            await db.execute(TERMINATE)
            assert isinstance((await asyncio.gather(lost, return_exceptions=True))[0], aiohttp.ClientError)

    with PatientApi(database, tmp_path / "other", **settings) as other:
        async with Client(other.url) as client:
            answers = [await client.thread(alice) for _ in range(2)]
    assert [answer.status for answer in answers] == [201, 429]
    assert await db.fetchval("SELECT count(*) FROM posts") == 1
    await db.close()
