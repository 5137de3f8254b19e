"""PostgreSQL is away: only 503, nothing is applied, and no API process needs a restart."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from services.local.postgresql import PostgreSQL
from tests.databases import CopyServer, in_memory
from tests.load import Client, Member, enlist, published, together
from tests.posts.conftest import connect
from tests.posts.locks import until
from tests.processes import ApiProcess

Replicas = tuple[ApiProcess, ApiProcess]


@pytest.fixture(scope="module")
def server(own_server: CopyServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgreSQL]:
    """A server that the tests of this file stop and kill."""
    with in_memory(tmp_path_factory.mktemp("server")) as folder, own_server(folder) as server:
        yield server


@pytest.fixture(scope="module")
def url(server: PostgreSQL) -> str:
    return server.url()


@pytest.fixture(scope="module")
def pair(url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replicas]:
    """Two processes for all tests of this file; a test must not leave them broken for the next."""
    folder = tmp_path_factory.mktemp("pair")
    with ApiProcess(url, folder / "a") as a, ApiProcess(url, folder / "b") as b:
        yield a, b


@pytest.fixture(autouse=True)
def running(server: PostgreSQL) -> Iterator[None]:
    """Start the server again if a test has left it stopped."""
    yield
    if server.child.exit_code is not None:
        server.start()


@pytest.fixture
async def clients(pair: Replicas) -> AsyncIterator[tuple[Client, Client]]:
    async with Client(pair[0].url) as a, Client(pair[1].url) as b:
        yield a, b


async def until_ready(api: ApiProcess, status: int) -> None:
    """Return when the readiness probe answers with this status."""

    async def answers() -> bool:
        return (await asyncio.to_thread(api.operator, "/readyz"))[0] == status

    await until(answers)


async def test_readiness_follows_the_database(
    server: PostgreSQL, url: str, pair: Replicas, clients: tuple[Client, Client]
) -> None:
    connection = await connect(url)
    (alice,) = await enlist(connection, 1)
    await connection.close()
    thread = published(await clients[0].thread(alice))
    await asyncio.to_thread(server.stop)
    for api, client in zip(pair, clients, strict=True):
        await until_ready(api, 503)
        assert api.operator("/livez")[0] == 200
        # it should still serve everything that needs no database
        assert (await client.get("/openapi.json")).status == 200
        assert (await client.get("/api/threads")).status == 503
        assert (await client.get("/api/health")).json["database"] == "unavailable"
    await together(check_writes_while_away(client, alice, thread) for client in clients)
    await asyncio.to_thread(server.start)
    for api, client in zip(pair, clients, strict=True):
        await until_ready(api, 200)
        published(await client.thread(alice))
    assert await titles(url, alice.id) == ["A question"] * 3


async def check_writes_while_away(client: Client, alice: Member, thread: int) -> None:
    """Each write should be refused, and reported as not applied: nothing was sent to the database."""
    for answer in await together(
        [
            client.thread(alice, "While it is away"),
            client.vote(alice, thread, 1),
            client.call("PATCH", "/api/agents/me", {"bio": "New."}, token=alice.token),
            client.rotate(alice.token),
            client.call("POST", "/api/agents/register", {"name": "while-it-is-away"}),
        ]
    ):
        assert answer.status == 503
        assert answer.effect.endswith(";applied=?0")
        assert int(answer.headers["Retry-After"]) >= 1


async def titles(url: str, author: int) -> list[str]:
    connection = await connect(url)
    rows = await connection.fetch("SELECT title FROM posts WHERE author_id = $1 ORDER BY id", author)
    await connection.close()
    return [row["title"] for row in rows]


async def test_after_a_crash_the_changes_are_empty_and_their_numbers_continue(
    server: PostgreSQL, url: str, clients: tuple[Client, Client]
) -> None:
    connection = await connect(url)
    alice, bob = await enlist(connection, 2)
    published(await clients[0].thread(alice))
    last = await connection.fetchval("SELECT max(seq) FROM changes")
    assert last == await connection.fetchval("SELECT last_seq FROM log_head")
    await connection.close()
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)
    connection = await connect(url)
    # it should be empty, and the head should know the last number
    assert await connection.fetchval("SELECT count(*) FROM changes") == 0
    assert await connection.fetchval("SELECT last_seq FROM log_head") == last
    await until(lambda: publishes(clients[1], bob))
    assert await connection.fetchval("SELECT array_agg(seq) FROM changes") == [last + 1]
    await connection.close()


async def publishes(client: Client, member: Member) -> bool:
    """Return whether a thread was published: not before the process has connected to the database again."""
    return (await client.thread(member)).status == 201
