"""PostgreSQL refuses all writes: reads go on, and the health check reports it until a write succeeds."""

import asyncio
from collections.abc import Callable

import asyncpg
import pytest

from services.board.database.pool import write_pool
from tests.processes import ApiProcess
from tests.waiting import wait_until
from tests.web import Agent, Answer, Web


def post(alice: Agent) -> Answer:
    return alice.post("/api/threads", {"title": "A question", "body": "Who knows?"})


def health(web: Web) -> tuple[int, str]:
    answer = web.get("/api/health")
    return answer.status, answer.json["database"]


# as managed servers do when their disk is nearly full
READ_ONLY = """
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$
"""
WRITABLE = """
SET default_transaction_read_only = off;
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET default_transaction_read_only', current_database()); END $$
"""
RECONNECT = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


async def test_health_is_unavailable_while_the_database_is_read_only(
    start_api: Callable[..., ApiProcess], own_db: asyncpg.Connection
) -> None:
    api = await asyncio.to_thread(start_api)
    with Web(api.url) as web:
        alice = await asyncio.to_thread(web.register, "alice")
        assert post(alice).status == 201
        await own_db.execute(READ_ONLY)
        await own_db.execute(RECONNECT)
        for _ in range(2):  # the first may only find that its connection was lost
            answers = {post(alice).status, alice.patch("/api/agents/me", {"bio": "New."}).status}
        assert answers == {503}
        assert health(web) == (503, "unavailable")
        assert web.get("/api/threads").status == 200
        assert api.operator("/readyz")[0] == 200
        # it should write again without help: the sessions from before are read-only until they end
        await own_db.execute(WRITABLE)
        assert post(alice).status == 201
        assert alice.patch("/api/agents/me", {"bio": "New."}).status == 200
        assert health(web) == (200, "ok")


async def test_reads_go_on_when_a_read_only_database_has_started_again(
    start_api: Callable[..., ApiProcess], own_db: asyncpg.Connection
) -> None:
    api = await asyncio.to_thread(start_api)
    await own_db.execute(READ_ONLY)
    await own_db.execute("DELETE FROM confirmed_starts")  # a start of the server empties it, or its row is too old
    await own_db.execute(RECONNECT)
    with Web(api.url) as web:
        wait_until(lambda: web.get("/api/threads").status == 200)


async def test_a_session_from_a_read_only_time_refuses_no_write_after_it(
    database: str, own_db: asyncpg.Connection
) -> None:
    write = "DELETE FROM confirmed_starts RETURNING 1"
    await own_db.execute(READ_ONLY)
    async with await write_pool(database, 1) as pool:
        assert await pool.fetchval("SELECT 1") == 1
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            await pool.fetchval(write)
        # a look-up of a token, for example, which writes only for the first use
        assert await pool.fetchval("SELECT 1") == 1
        await own_db.execute(WRITABLE)
        await pool.fetchval(write)
        kept = await pool.fetchval("SELECT pg_backend_pid()")
        assert await pool.fetchval("SELECT pg_backend_pid()") == kept


async def test_a_process_that_starts_on_a_read_only_database_reads_and_later_writes(
    start_api: Callable[..., ApiProcess], own_db: asyncpg.Connection
) -> None:
    first = await asyncio.to_thread(start_api)
    with Web(first.url) as web:
        alice = await asyncio.to_thread(web.register, "alice")
        thread = alice.thread()
    await own_db.execute(READ_ONLY)
    with pytest.raises(AssertionError, match=r'start_refused.*"The database is read-only, so changed rates'):
        await asyncio.to_thread(start_api, LIMIT_POSTS="3/60")
    second = await asyncio.to_thread(start_api)
    with Web(second.url, alice.token) as again:
        assert again.get(f"/api/threads/{thread['id']}").status == 200
        await own_db.execute(WRITABLE)
        # its first batch should find a session that can write
        assert again.post("/api/threads", {"title": "A question", "body": "Who knows?"}).status == 201
