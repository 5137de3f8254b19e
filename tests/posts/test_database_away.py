"""Outages of PostgreSQL under load: only 201 and 503, each of them true, and no restart of an API process."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from services.local.postgresql import PostgreSQL
from tests.databases import CopyServer
from tests.load import Client, Member, enlist, published, together
from tests.posts.conftest import connect
from tests.posts.locks import until
from tests.posts.witness import Witness
from tests.processes import ApiProcess

END_ALL = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE $1
"""
Replicas = tuple[ApiProcess, ApiProcess]


@pytest.fixture(scope="module")
def server(own_server: CopyServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgreSQL]:
    """A server that the tests of this file stop and kill."""
    with own_server(tmp_path_factory.mktemp("server")) as server:
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


async def check(witness: Witness, url: str) -> None:
    connection = await connect(url)
    await witness.check(connection)
    await connection.close()


async def new_witness(url: str, clients: tuple[Client, Client]) -> Witness:
    connection = await connect(url)
    members = await enlist(connection, 400)
    await connection.close()
    return Witness(clients, members)


async def until_ready(api: ApiProcess, status: int) -> None:
    """Return when the readiness probe answers with this status."""

    async def answers() -> bool:
        return (await asyncio.to_thread(api.operator, "/readyz"))[0] == status

    await until(answers)


@pytest.mark.parametrize("interrupt", [pytest.param(PostgreSQL.stop, marks=pytest.mark.slow), PostgreSQL.kill])
@pytest.mark.parametrize(("outages", "posts"), [(1, 30), pytest.param(2, 100, marks=pytest.mark.slow)])
async def test_an_outage_under_load_loses_nothing_and_repeats_nothing(
    server: PostgreSQL,
    url: str,
    clients: tuple[Client, Client],
    interrupt: Callable[[PostgreSQL], None],
    outages: int,
    posts: int,
) -> None:
    async with await new_witness(url, clients) as witness:
        for _ in range(outages):
            await witness.progress(posts)
            await asyncio.to_thread(interrupt, server)
            # it should refuse during the outage
            await witness.refusals(5)
            await asyncio.to_thread(server.start)
        # it should continue without a restart of the API processes
        await witness.progress(posts)
    await check(witness, url)


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


@pytest.mark.parametrize("whose", ["agent-board writes", "agent-board%"])
@pytest.mark.parametrize("times", [12, pytest.param(40, marks=pytest.mark.slow)])
async def test_backends_terminated_at_random_moments_lead_to_no_false_answer(
    url: str, clients: tuple[Client, Client], whose: str, times: int
) -> None:
    chance = random.Random(whose)
    connection = await connect(url)
    async with await new_witness(url, clients) as witness:
        for _ in range(times):
            await witness.progress(chance.randrange(1, 12))
            await asyncio.sleep(chance.uniform(0, 0.01))
            await connection.fetch(END_ALL, whose)
        await witness.progress(50)
    await witness.check(connection)
    await connection.close()


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
