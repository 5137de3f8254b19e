"""Whatever becomes of Redis and the limiter: never one post too many, never a refusal too early, and no 5xx.

Three real processes and one agent that floods them. The window is short, so that many pass in a test; once it is the
real minute.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import pytest

from services.board.database import writing_connection
from tests import web
from tests.limiter import outages
from tests.limiter.flood import Flood
from tests.limiter.outages import Site, open_site
from tests.load import Client, Member, enlist, together
from tests.log.locks import until
from tests.processes import ApiProcess

QUOTA, WINDOW = 10, 2
RATE = {"LIMIT_POSTS": f"{QUOTA}/{WINDOW}"}
# how many posts are published while it lasts
OUTAGES: dict[outages.Outage, int] = {
    outages.nothing: 0,
    outages.flushed: 3 * QUOTA,
    outages.restarted: QUOTA,
    outages.killed: 3 * QUOTA,
    outages.paused: QUOTA,
    outages.filled: 5 * QUOTA,
    outages.full: 2 * QUOTA,
    outages.limiter_killed: 2 * QUOTA,
    outages.limiter_paused: 2 * QUOTA,
}
# of a window of a real minute
OUTAGE_SECONDS, CALM_SECONDS = 5, 8


@pytest.fixture(scope="module")
def site(shared_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with open_site(shared_database, tmp_path_factory.mktemp("site"), **RATE) as site:
        yield site


@pytest.fixture(autouse=True)
def everything_runs(site: Site) -> Iterator[None]:
    """What a test leaves stopped is started again, and the limiter answers."""
    yield
    if site.valkey.child.exit_code is not None:
        site.valkey.start()
    if site.limiter.running.poll() is not None:
        site.limiter.start()
    site.limiter.wait_until_ready()


@pytest.fixture
async def db(shared_database: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection to the board's database; times are Unix seconds."""
    connection = await writing_connection(shared_database)
    yield connection
    await connection.close()


@pytest.mark.parametrize("outage", OUTAGES, ids=lambda outage: str(outage.__name__))
async def test_the_limit_is_exact_both_ways_through_every_outage(
    site: Site, db: asyncpg.Connection, outage: outages.Outage
) -> None:
    (alice,) = await enlist(db, 1)
    async with Flood(site.urls, alice) as flood:
        await flood.published(QUOTA + 1)
        async with outage(site):
            await flood.published(OUTAGES[outage])
        # it should be the shield again afterwards
        before = await site.count("posts", "denied")

        async def shielded() -> bool:
            return await site.count("posts", "denied") > before

        await until(shielded)
        await flood.published(QUOTA + 1)
    flood.check(await created_by(db, alice), QUOTA, WINDOW)


async def test_ten_posts_in_a_real_minute_are_exact_through_all_outages(
    shared_database: str, db: asyncpg.Connection, tmp_path: Path
) -> None:
    (alice,) = await enlist(db, 1)
    with open_site(shared_database, tmp_path) as site:
        async with Flood(site.urls, alice) as flood:
            await flood.published(QUOTA)
            for outage in OUTAGES:
                async with outage(site):
                    await asyncio.sleep(OUTAGE_SECONDS)
                await asyncio.sleep(CALM_SECONDS)
    created = await created_by(db, alice)
    # it should have gone through the end of a window at least
    assert len(created) > QUOTA
    flood.check(created, QUOTA, 60)


async def created_by(db: asyncpg.Connection, member: Member) -> list[float]:
    rows = await db.fetch("SELECT created FROM posts WHERE author_id = $1 ORDER BY created", member.id)
    return [row["created"] for row in rows]


async def test_what_has_no_judge_passes_while_the_limiter_is_away_and_health_says_so(
    site: Site, db: asyncpg.Connection
) -> None:
    (alice,) = await enlist(db, 1)
    async with Client(site.urls[0]) as client:
        thread = int((await client.thread(alice)).json["id"])
        health = (await client.get("/api/health")).json
        assert (health["status"], health["limiter"]) == ("ok", "ok")
        site.limiter.kill()
        # it should let every vote pass, more than the limit allows
        answers = [await client.vote(alice, thread, 1) for _ in range(125)]
        assert {answer.status for answer in answers} == {200}
        # it should know of no limit, and not pretend
        assert answers[-1].headers["RateLimit"] is None
        health = (await client.get("/api/health")).json
        assert (health["status"], health["limiter"]) == ("degraded", "unavailable")
        assert await site.count("votes", "away") >= 120
        assert (await client.get("/api/agents/me", "agb_" + "A" * 43 + "0DofJ8")).status == 401
        # it should be well again without a restart of ours
        await asyncio.to_thread(site.limiter.start)

        async def well() -> bool:
            return bool((await client.get("/api/health")).json["status"] == "ok")

        await until(well)
        await until(lambda: limited(client, alice, thread))


async def limited(client: Client, member: Member, thread: int) -> bool:
    """Whether the answer to a vote says what is left."""
    return (await client.vote(member, thread, 1)).headers["RateLimit"] is not None


async def test_redis_away_is_the_limiter_away(site: Site) -> None:
    async with Client(site.urls[0]) as client:
        site.valkey.kill()

        async def degraded() -> bool:
            return bool((await client.get("/api/health")).json["status"] == "degraded")

        await until(degraded)
        assert site.limiter.operator("/readyz") == (503, "Redis does not answer.")
        assert site.limiter.operator("/livez")[0] == 200
        await asyncio.to_thread(site.valkey.start)
        await asyncio.to_thread(site.limiter.wait_until_ready)


async def test_an_agent_that_obeys_is_never_refused_twice(
    site: Site, db: asyncpg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "LEAST_WAIT_SECONDS", 0)  # as the hasty api has it
    (alice,) = await enlist(db, 1)
    with HastyApi(site.database, tmp_path / "hasty", LIMITER_URL=site.limiter.url, **RATE) as hasty:
        async with Client(hasty.url) as client:
            for disturbed in (False, False, True, False, True):
                seconds = await refused_for(client, alice)
                if disturbed:
                    site.valkey.kill()
                await asyncio.sleep(seconds)
                assert (await client.thread(alice)).status == 201
                if disturbed:
                    await asyncio.to_thread(site.valkey.start)


async def refused_for(client: Client, member: Member) -> int:
    """Post until something is refused, and return for how long at most."""
    while True:
        answers = await together(client.thread(member) for _ in range(QUOTA + 5))
        assert {answer.status for answer in answers} <= {201, 429}
        if seconds := [int(answer.headers["Retry-After"]) for answer in answers if answer.status == 429]:
            return max(seconds)


class HastyApi(ApiProcess):
    """An api process that asks agents to wait until a slot is free, and not a second longer."""

    module = "tests.limiter.hasty_api"
