"""During an outage of Redis and the limiter, calls pass, health says so, and no refusal is too early.

The history judges the limit in all outages: never one post too many, and no 5xx.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import asyncpg
import pytest
import redis

from services.board.database.connections import writing_connection
from services.contract.checks import Check
from services.limiter.window import StoreAway, Windows
from services.local.valkey import Valkey
from tests.limiter.outages import Site, full
from tests.limiter.processes import LimiterProcess
from tests.load import Client, Member, enlist
from tests.metrics import metric
from tests.posts.locks import until
from tests.processes import ApiProcess
from tests.proxy import Proxy

NO_STORE = "Redis does not answer, or takes no writes."


@pytest.fixture
def site(tmp_path: Path, start_api: Callable[..., ApiProcess]) -> Iterator[Site]:
    """An API process with a limiter and a Redis of its own."""
    with Valkey(tmp_path / "valkey") as valkey, LimiterProcess(valkey.url(), tmp_path / "limiter") as limiter:
        yield Site(valkey, limiter, [start_api(LIMITER_URL=limiter.url)])


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
        assert metric(site.apis[0], 'agent_board_throttle_calls_total{policy="votes",verdict="away"}') >= 120
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


async def test_the_limiter_is_away_while_redis_takes_no_writes(site: Site) -> None:
    async with Client(site.urls[0]) as client:

        async def status() -> str:
            return str((await client.get("/api/health")).json["status"])

        async with full(site):
            await until(lambda: is_so(status, "degraded"))
            assert site.limiter.operator("/readyz") == (503, NO_STORE)
            # it should stay so, although Redis answers
            assert [await status() for _ in range(5)] == ["degraded"] * 5
        await until(lambda: is_so(status, "ok"))
        assert site.limiter.operator("/readyz")[0] == 200


async def is_so(read: Callable[[], Awaitable[str]], wanted: str) -> bool:
    return await read() == wanted


async def test_checks_go_to_the_new_primary_after_a_fail_over(tmp_path: Path) -> None:
    old, new = Valkey(tmp_path / "old"), Valkey(tmp_path / "new")
    with old:
        new.password = old.password
        with new:
            async with Proxy(old.port) as address:
                windows = Windows(address.url(old.url()))
                asked = [Check("votes", "agent:a", "1" * 32, 10, 60)]
                assert (await windows.decide(asked))[0].used == 1
                # the connections to the old primary stay open
                with redis.Redis.from_url(old.url()) as store:
                    store.replicaof("127.0.0.1", new.port)
                address.target = new.port
                with pytest.raises(StoreAway):
                    await windows.decide(asked)
                assert (await windows.decide(asked))[0].used == 1
                await windows.close()
