"""Writes that wait for a locked table are seen while they wait: in a metric and in the health check.

The queries of the runbook name who holds the lock.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import asyncpg
import pytest

from tests.load import Client, Member, enlist, published
from tests.metrics import metric
from tests.posts.locks import until
from tests.processes import CHECKOUT, ApiProcess

PAGE = CHECKOUT / "deploy/observability/runbooks/Writes.md"
QUERY = re.compile(r'`sql "(SELECT (?!pg_terminate).+?)"`')
KINDS = [("posts", "post"), ("subscriptions", "account")]


class StallingApi(ApiProcess):
    """An API process whose health reports writes that wait for a second."""

    module = "tests.posts.stalling_api"


@pytest.fixture
def stalling(database: str, tmp_path: Path) -> Iterator[ApiProcess]:
    with StallingApi(database, tmp_path) as process:
        yield process


@asynccontextmanager
async def repeated(client: Client, kind: str, alice: Member, thread: int) -> AsyncIterator[None]:
    """Make a call of one kind again and again, as an agent does whose calls are answered 503."""

    async def repeat() -> None:
        while True:
            await write(client, kind, alice, thread)
            await asyncio.sleep(0.1)

    task = asyncio.create_task(repeat())
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def write(client: Client, kind: str, alice: Member, thread: int) -> int:
    if kind == "post":
        return (await client.reply(alice, thread)).status
    followed = {"kind": "thread", "target": str(thread)}
    return (await client.call("POST", "/api/subscriptions", followed, token=alice.token)).status


@pytest.mark.parametrize(("table", "kind"), KINDS)
async def test_a_locked_table_is_seen_while_writes_wait(
    stalling: ApiProcess, own_db: asyncpg.Connection, database: str, table: str, kind: str
) -> None:
    (alice,) = await enlist(own_db, 1)
    locker = await asyncpg.connect(database, server_settings={"application_name": "forgotten"})
    async with Client(stalling.url) as client:

        async def unavailable() -> bool:
            return bool((await client.get("/api/health")).json["database"] == "unavailable")

        async def available() -> bool:
            return not await unavailable()

        thread = published(await client.thread(alice))
        assert await available()
        async with AsyncExitStack() as writing:
            async with locker.transaction():
                await locker.execute(f"LOCK TABLE {table} IN EXCLUSIVE MODE")
                # not before: a repeat of what was committed changes nothing, and would not wait
                await writing.enter_async_context(repeated(client, kind, alice, thread))
                await until(unavailable)
                assert metric(stalling, f'agent_board_unfinished_batch_seconds{{kind="{kind}"}}') > 1
                # reads go on, and the process still gets them
                assert (await client.get(f"/api/threads/{thread}")).status == 200
                assert await asyncio.to_thread(stalling.operator, "/readyz") == (200, "ready")
                holder, waiting = [await shown(own_db, query) for query in QUERY.findall(PAGE.read_text())]
                assert (holder["pid"], holder["application_name"]) == (locker.get_server_pid(), "forgotten")
                assert (holder["waits_for"], holder["query"]) == (table, f"LOCK TABLE {table} IN EXCLUSIVE MODE")
                assert (waiting["application_name"], waiting["wait_event_type"]) == ("agent-board writes", "Lock")
            await until(available)
        assert await write(client, kind, alice, thread) in (200, 201)

        async def nothing_waits() -> bool:
            return metric(stalling, f'agent_board_unfinished_batch_seconds{{kind="{kind}"}}') == 0

        await until(nothing_waits)
    await locker.close()


async def shown(db: asyncpg.Connection, query: str) -> asyncpg.Record:
    """Return the first row of a query of the runbook, which has none between two waits of the board."""
    rows: list[asyncpg.Record] = []

    async def found() -> bool:
        rows[:] = await db.fetch(query)
        return any(row["application_name"] != "agent-board reads" for row in rows)

    await until(found)
    return next(row for row in rows if row["application_name"] != "agent-board reads")
