"""A process that dies between commit and answer loses and duplicates nothing."""

import asyncio
from collections.abc import AsyncIterator, Callable

import aiohttp
import asyncpg
import pytest

from services.local.postgresql import PostgreSQL
from tests.load import Client, Member, enlist, published
from tests.posts.locks import blocked, head_locked
from tests.processes import ApiProcess
from tests.proxy import Proxy

StartApi = Callable[..., ApiProcess]
REPLAYED = "post-public;scope=public;reversible=?0;applied=?0"


@pytest.fixture
async def proxy(postgresql: PostgreSQL) -> AsyncIterator[Proxy]:
    async with Proxy(postgresql.port) as proxy:
        yield proxy


async def kill_between_commit_and_answer(api: ApiProcess, proxy: Proxy, alice: Member, title: str, key: str) -> None:
    """Send a thread, and kill the process after PostgreSQL has answered the commit, but before it is received."""
    trap = proxy.keep(title, answer=True)
    async with Client(api.url) as client:
        call = asyncio.create_task(client.thread(alice, title, key))
        await trap.reached()
        api.kill()
        with pytest.raises(aiohttp.ClientError):
            await call
    trap.cut()


async def logged(db: asyncpg.Connection) -> list[tuple[int, str]]:
    return [(row["id"], row["title"]) for row in await db.fetch("SELECT id, title FROM posts ORDER BY id")]


async def test_a_retry_with_the_key_after_a_crash_gives_the_first_post(
    start_api: StartApi, database: str, own_db: asyncpg.Connection, proxy: Proxy
) -> None:
    (alice,) = await enlist(own_db, 1)
    api = await asyncio.to_thread(start_api, DATABASE_URL=proxy.url(database), READ_DATABASE_URL=database)
    await kill_between_commit_and_answer(api, proxy, alice, "Before the crash", "k")
    # it should be in the log
    assert await logged(own_db) == [(1, "Before the crash")]
    async with Client(start_api().url) as client:
        again = await client.thread(alice, "Before the crash", "k")
        # a new process should answer it with the committed post
        assert (again.status, again.json["id"], again.effect) == (201, 1, REPLAYED)
        assert again.headers["Idempotent-Replayed"] == "true"
        assert published(await client.thread(alice, "After")) == 2
    assert await logged(own_db) == [(1, "Before the crash"), (2, "After")]


async def test_a_retry_while_the_dead_process_still_has_a_statement_under_way_is_one_post(
    start_api: StartApi, start_patient_api: StartApi, database: str, own_db: asyncpg.Connection
) -> None:
    (alice,) = await enlist(own_db, 1)
    doomed, heir = start_patient_api(), start_patient_api()
    async with Client(doomed.url) as before, Client(heir.url) as after:
        async with head_locked(database):
            lost = asyncio.create_task(before.thread(alice, "The one", "k"))
            await blocked(own_db, 1)
            doomed.kill()
            with pytest.raises(aiohttp.ClientError):
                await lost
            retry = asyncio.create_task(after.thread(alice, "The one", "k"))
            # it should wait for the statement of the dead process
            await blocked(own_db, 2)
        answer = await retry
        assert (answer.status, answer.json["id"], answer.headers["Idempotent-Replayed"]) == (201, 1, "true")
    assert await logged(own_db) == [(1, "The one")]
