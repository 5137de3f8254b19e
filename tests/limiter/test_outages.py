"""During an outage of Redis and the limiter, calls pass, health says so, and no refusal is too early.

The history judges the limit in all outages: never one post too many, and no 5xx.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest

from services.board.database.connections import writing_connection
from services.local.postgresql import PostgreSQL
from tests.databases import create_database
from tests.limiter.outages import Site, open_site
from tests.load import Client, Member, enlist, together
from tests.posts.locks import until
from tests.web import limits_of

QUOTA, WINDOW = 2, 1


@pytest.fixture(scope="module")
def database(postgresql: PostgreSQL) -> str:
    return create_database(postgresql, "board_outages")


@pytest.fixture(scope="module")
def running_site(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Two API processes that allow 2 posts in any second."""
    folder = tmp_path_factory.mktemp("site")
    with open_site(database, folder, apis=2, LIMIT_POSTS=f"{QUOTA}/{WINDOW}") as site:
        yield site


@pytest.fixture
def site(running_site: Site) -> Iterator[Site]:
    """The site. A process that a failed test left stopped is restarted."""
    yield running_site
    if running_site.valkey.child.exit_code is not None:
        running_site.valkey.start()
    if running_site.limiter.running.poll() is not None:
        running_site.limiter.start()
    running_site.limiter.wait_until_ready()


@pytest.fixture
async def db(database: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection to the board's database; times are Unix seconds."""
    connection = await writing_connection(database)
    yield connection
    await connection.close()


async def test_other_calls_than_posts_pass_while_the_limiter_is_away_and_health_is_degraded(
    site: Site, db: asyncpg.Connection
) -> None:
    (alice,) = await enlist(db, 1)
    async with Client(site.urls[0]) as client:
        thread = int((await client.thread(alice)).json["id"])
        health = (await client.get("/api/health")).json
        assert (health["status"], health["limiter"]) == ("ok", "ok")
        site.limiter.kill()
        # it should let every vote pass, even beyond the limit
        answers = [await client.vote(alice, thread, 1) for _ in range(125)]
        assert {answer.status for answer in answers} == {200}
        # it should not state a limit that it does not know
        assert answers[-1].headers["RateLimit"] is None
        health = (await client.get("/api/health")).json
        assert (health["status"], health["limiter"]) == ("degraded", "unavailable")
        assert await site.count("votes", "away") >= 120
        assert (await client.get("/api/agents/me", "agb_" + "A" * 43 + "0DofJ8")).status == 401
        # it should recover without help
        await asyncio.to_thread(site.limiter.start)

        async def well() -> bool:
            return bool((await client.get("/api/health")).json["status"] == "ok")

        await until(well)
        await until(lambda: limited(client, alice, thread))


async def limited(client: Client, member: Member, thread: int) -> bool:
    """Return whether the answer to a vote states a limit."""
    return (await client.vote(member, thread, 1)).headers["RateLimit"] is not None


async def test_the_limiter_is_away_while_redis_is(site: Site) -> None:
    async with Client(site.urls[0]) as client:
        before = len(site.limiter.log_lines())
        site.valkey.kill()

        async def degraded() -> bool:
            return bool((await client.get("/api/health")).json["status"] == "degraded")

        await until(degraded)
        assert site.limiter.operator("/readyz") == (503, "Redis does not answer.")
        assert site.limiter.operator("/livez")[0] == 200
        await asyncio.to_thread(site.valkey.start)
        await asyncio.to_thread(site.limiter.wait_until_ready)

        async def logged() -> bool:
            events = [line["event"] for line in site.limiter.log_lines()[before:]]
            return [event for event in events if event.startswith("redis_")] == ["redis_away", "redis_back"]

        # the log should show the beginning and the end, each once; its lines are written a moment later
        await until(logged)


async def test_an_agent_that_waits_as_long_as_it_should_is_never_refused_twice(
    site: Site, db: asyncpg.Connection
) -> None:
    (alice,) = await enlist(db, 1)
    async with Client(site.urls[0]) as client:
        for disturbed in (False, False, True, False, True):
            seconds = await refused_for(client, alice)
            if disturbed:
                site.valkey.kill()
            await asyncio.sleep(seconds)
            assert (await client.thread(alice)).status == 201
            if disturbed:
                await asyncio.to_thread(site.valkey.start)


async def refused_for(client: Client, member: Member) -> int:
    """Post until a post is refused; return the longest time until a slot is free, which Retry-After would round up."""
    while True:
        answers = await together(client.thread(member) for _ in range(QUOTA + 3))
        assert {answer.status for answer in answers} <= {201, 429}
        if limits := [limits_of(answer) for answer in answers if answer.status == 429]:
            return max(limit[1] for limit in limits if limit is not None)
