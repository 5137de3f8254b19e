"""PostgreSQL's host dies without closing its connections: every call ends, and new connections restore the service."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import asyncpg
import pytest

from services.local.postgresql import PostgreSQL
from tests.load import Client, Member, enlist, published, together
from tests.posts.conftest import ImpatientApi
from tests.posts.locks import until
from tests.processes import ApiProcess, Started
from tests.proxy import Proxy
from tests.web import Answer

# Sanic itself ends a request after 60 to 90 s
BOUND_SECONDS = 45


@pytest.fixture
def start_impatient_api(tmp_path: Path, started: Started) -> Callable[..., ApiProcess]:
    return lambda **urls: started.start(ImpatientApi(urls.pop("DATABASE_URL"), tmp_path / "impatient", **urls))


def calls(client: Client, known: Member, unknown: Member, thread: int) -> list[Awaitable[Answer]]:
    """One call on each pool and each connection, by an agent whose token is in memory and by one whose is not."""
    return [
        client.get("/api/agents/me", known.token),
        client.get("/api/agents/me", unknown.token),
        client.get("/api/home", known.token),
        client.get("/api/threads"),
        client.get("/api/stats"),
        client.call("PATCH", "/api/agents/me", {"bio": "New."}, token=known.token),
        client.thread(known, "After the host was gone"),
        client.vote(unknown, thread, 1),
    ]


@pytest.mark.parametrize("reads", [True, False], ids=["every connection", "those that may write"])
async def test_calls_end_and_the_service_returns_without_a_restart(
    postgresql: PostgreSQL,
    database: str,
    own_db: asyncpg.Connection,
    start_impatient_api: Callable[..., ApiProcess],
    reads: bool,
) -> None:
    alice, bob = await enlist(own_db, 2)
    async with Proxy(postgresql.port) as proxy:
        through = proxy.url(database)
        urls = {"DATABASE_URL": through, "READ_DATABASE_URL": through if reads else database}
        api = await asyncio.to_thread(start_impatient_api, **urls)
        async with Client(api.url) as client:
            thread = published(await client.thread(alice))
            assert (await client.get("/api/agents/me", alice.token)).status == 200
            proxy.freeze()
            for answer in await together(calls(client, alice, bob, thread), BOUND_SECONDS):
                assert answer.status in (200, 201, 503)
                assert answer.status != 503 or int(answer.headers["Retry-After"]) >= 1
            await until(lambda: all_succeed(client, alice, bob, thread))
            await until(lambda: ready(api))
            assert await asyncio.to_thread(api.operator, "/livez") == (200, "ok")
        await asyncio.to_thread(api.stop)


async def ready(api: ApiProcess) -> bool:
    return await asyncio.to_thread(api.operator, "/readyz") == (200, "ready")


async def all_succeed(client: Client, known: Member, unknown: Member, thread: int) -> bool:
    answers = await together(calls(client, known, unknown, thread), BOUND_SECONDS)
    return all(answer.status in (200, 201) for answer in answers)
