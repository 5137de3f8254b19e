"""Whatever becomes of Redis and the limiter: never one post too many, never a refusal too early, and no 5xx.

Three real processes and one agent that floods them. The window is short, so that many pass in a test.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from signal import SIGCONT, SIGSTOP

import asyncpg
import pytest
import redis

from deploy.local.valkey import Valkey
from services.board.database import writing_connection
from tests import web
from tests.limiter.flood import Flood
from tests.limiter.processes import LimiterProcess
from tests.load import Client, Member, enlist, together
from tests.log.locks import until
from tests.processes import ApiProcess

QUOTA, WINDOW = 10, 2
RATE = {"LIMIT_POSTS": f"{QUOTA}/{WINDOW}"}


@dataclass
class Site:
    """A board with three api processes, one limiter and a Redis of its own."""

    valkey: Valkey
    limiter: LimiterProcess
    apis: list[ApiProcess]
    database: str

    @property
    def urls(self) -> list[str]:
        return [api.url for api in self.apis]

    def redis(self) -> redis.Redis:
        return redis.Redis.from_url(self.valkey.url())

    async def count(self, policy: str, verdict: str) -> int:
        """How often the api processes had this verdict."""
        line = f'agent_board_throttle_calls_total{{policy="{policy}",verdict="{verdict}"}} '
        pages = [(await asyncio.to_thread(api.operator, "/metrics"))[1] for api in self.apis]
        return sum(int(float(page.partition(line)[2].split()[0])) for page in pages if line in page)


@pytest.fixture(scope="module")
def site(shared_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with Valkey(folder / "valkey") as valkey, LimiterProcess(valkey.url(), folder / "limiter", **RATE) as limiter:
        more = {"LIMITER_URL": limiter.url, "BASE_URL": "http://board.test", "LOG_LEVEL": "warning", **RATE}
        apis = [ApiProcess(shared_database, folder / f"api{number}", **more) for number in range(3)]
        with apis[0], apis[1], apis[2]:
            yield Site(valkey, limiter, apis, shared_database)


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


async def nothing(site: Site, flood: Flood) -> None:
    """All goes well."""


async def flushed(site: Site, flood: Flood) -> None:
    """Redis loses everything, again and again."""
    with site.redis() as store:
        for _ in range(30):
            store.flushall()
            await flood.published(1)


async def restarted(site: Site, flood: Flood) -> None:
    """Redis stops in order and starts empty, twice."""
    for _ in range(2):
        await asyncio.to_thread(site.valkey.restart)
        await flood.published(QUOTA)


async def killed(site: Site, flood: Flood) -> None:
    """Redis crashes, is away for a while, and starts empty."""
    site.valkey.kill()
    await flood.published(3 * QUOTA)
    await asyncio.to_thread(site.valkey.start)


async def paused(site: Site, flood: Flood) -> None:
    """Redis stands still for 5 s, and goes on as if nothing had been."""
    site.valkey.child.ask(SIGSTOP)
    try:
        await asyncio.sleep(5)
        await flood.published(QUOTA)
    finally:
        site.valkey.child.ask(SIGCONT)


async def filled(site: Site, flood: Flood) -> None:
    """Redis is full, and throws away what it likes."""
    with site.redis() as store:
        used = int(store.info("memory")["used_memory"])
        store.config_set("maxmemory", used + 2_000_000)
        store.config_set("maxmemory-policy", "allkeys-random")
        try:
            number = 0
            while flood.statuses[201] < 5 * QUOTA:
                for _ in range(200):
                    store.set(f"rubbish {(number := number + 1)}", "x" * 10_000)
                await asyncio.sleep(0.01)
            assert int(store.info("stats")["evicted_keys"]) > 1000
        finally:
            store.config_set("maxmemory", 0)
            store.flushall()


async def full(site: Site, flood: Flood) -> None:
    """Redis is full, and takes no more."""
    with site.redis() as store:
        store.config_set("maxmemory", 1)
        try:
            await flood.published(2 * QUOTA)
        finally:
            store.config_set("maxmemory", 0)


async def limiter_killed(site: Site, flood: Flood) -> None:
    """The limiter crashes, is away for a while, and comes back."""
    site.limiter.kill()
    await flood.published(2 * QUOTA)
    await asyncio.to_thread(site.limiter.start)


async def limiter_paused(site: Site, flood: Flood) -> None:
    """The limiter stands still, its connections open."""
    site.limiter.signal(SIGSTOP)
    try:
        await flood.published(2 * QUOTA)
    finally:
        site.limiter.signal(SIGCONT)


OUTAGES = [nothing, flushed, restarted, killed, paused, filled, full, limiter_killed, limiter_paused]


@pytest.mark.parametrize("outage", OUTAGES, ids=lambda outage: str(outage.__name__))
async def test_the_limit_is_exact_both_ways_through_every_outage(
    site: Site, db: asyncpg.Connection, outage: Callable[[Site, Flood], Awaitable[None]]
) -> None:
    (alice,) = await enlist(db, 1)
    denied = await site.count("posts", "denied")
    async with Flood(site.urls, alice) as flood:
        await flood.published(QUOTA + 1)
        await outage(site, flood)
        # it should be the shield again afterwards
        before = await site.count("posts", "denied")

        async def shielded() -> bool:
            return await site.count("posts", "denied") > before

        await until(shielded)
        await flood.published(QUOTA + 1)
    assert before >= denied
    flood.check(await created_by(db, alice), QUOTA, WINDOW)


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
