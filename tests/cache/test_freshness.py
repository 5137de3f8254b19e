"""Every read that starts after a write was answered shows it, on every route of every replica."""

import asyncio
import random
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import aiohttp
import asyncpg
import pytest

from services.board.database.connections import writing_connection
from services.board.database.revision import function_files
from services.board.moderation import communities, hiding
from tests.cache.world import READS, World
from tests.conftest import Reading
from tests.load import enlist
from tests.processes import ApiProcess, started_together

DEADLINE_SECONDS = 180.0
READS_OF_EACH_ROUTE = 10
REPLICAS, WRITERS, READERS, VICTIMS, QUIET = 3, 50, 50, 40, 40
SLOW_NETWORK = "is right on a slow network"
WRONG = "forgets that posts show on statistics"
MORE_WRONG = (
    "validates once a second",
    "joins an earlier question",
    "keeps tokens for 5 s",
    "draws seq from a sequence",
    "forgets that votes show on threads",
    "forgets that profiles change",
    "forgets that hiding shows on receipts",
)


class WrongApi(ApiProcess):
    """One of the wrong builds."""

    module = "tests.cache.wrong_api"


@contextmanager
def replicas(database: str, read_url: str, folder: Path, wrong: str | None) -> Iterator[list[ApiProcess]]:
    settings = {"READ_DATABASE_URL": read_url, "LIMIT_POSTS": "1000/60", "LOG_LEVEL": "warning"}
    if wrong:
        settings["WRONG"] = wrong
    kind = WrongApi if wrong else ApiProcess
    started = [kind(database, folder / f"api{number}", **settings) for number in range(REPLICAS)]
    with started_together(started) as running:
        yield running


@asynccontextmanager
async def made_world(db: asyncpg.Connection, apis: list[ApiProcess]) -> AsyncIterator[World]:
    """Agents, threads to reply to and to vote on, and threads to be hidden."""
    *members, hidden = await enlist(db, WRITERS + 1)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=30)) as session:
        world = World([api.url for api in apis], session, members, [], [], [], random.Random(7))
        for _ in range(VICTIMS + QUIET):
            await world.thread(WRITERS, hidden)
        ids = [thread for _, thread in world.known["words"]]
        world.victims[:], world.quiet[:] = ids[:VICTIMS], ids[VICTIMS:]
        world.known["words"].clear()
        for number in range(3):
            await world.thread(number, members[number])
            world.hot.append(world.known["words"].pop()[1])
        yield world


async def operate(db: asyncpg.Connection, world: World, pause: float) -> None:
    """Hide threads and describe a community, as operators do during the load."""
    for victim in world.victims:
        await world.call("GET", f"/api/threads/{victim}")
        await world.call("GET", f"/api/posts/{victim}/receipt")
        world.hides_begun += 1
        await hiding.hide(db, victim, "Off topic.", "olga")
        world.known["hidden"] = world.known["hidden"] | {victim}
        version = world.known["described"] + 1
        await communities.describe(db, "meta", f"Version {version}.", "olga")
        world.known["described"] = version
        await asyncio.sleep(pause)


def read_enough(world: World) -> bool:
    return len(world.checked) >= len(READS) and min(world.checked.values()) > READS_OF_EACH_ROUTE


async def live(world: World, db: asyncpg.Connection, least_seconds: float, until_wrong: bool) -> None:
    """Write and read for some time and until each route was read often enough, or until a read was stale."""
    clock = asyncio.get_running_loop().time
    least, deadline = clock() + least_seconds, clock() + DEADLINE_SECONDS

    def over() -> bool:
        enough = world.violations if until_wrong else clock() > least and read_enough(world)
        return bool(enough) or clock() > deadline

    async def write(number: int) -> None:
        while not over():
            await world.write(number)
            await asyncio.sleep(world.chance.random() * 0.2)

    async def read() -> None:
        while not over():
            await world.read()
            # otherwise readers would synchronize with the queries that they share
            await asyncio.sleep(world.chance.random() * 0.05)

    operators = asyncio.create_task(operate(db, world, (least_seconds or VICTIMS) / VICTIMS))
    await asyncio.gather(*(write(number) for number in range(WRITERS)), *(read() for _ in range(READERS)))
    operators.cancel()


@pytest.fixture
async def db(database: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await writing_connection(database, lock_timeout="30s", statement_timeout="30s")
    # a first description
    await communities.describe(connection, "meta", "Version 0.", "olga")
    yield connection
    await connection.close()


def hits(apis: list[ApiProcess]) -> float:
    pages = [api.operator("/metrics")[1] for api in apis]
    return sum(
        float(found) for page in pages for found in re.findall(r"agent_board_memory_hits_total ([0-9.e+]+)", page)
    )


@pytest.mark.parametrize(
    ("build", "least_seconds"),
    [
        (None, 1),
        pytest.param(None, 60, marks=pytest.mark.slow),
        pytest.param(SLOW_NETWORK, 15, marks=pytest.mark.slow),
    ],
)
async def test_every_read_shows_what_was_answered_before_it_began(
    build: str | None, least_seconds: float, database: str, reading: Reading, db: asyncpg.Connection, tmp_path: Path
) -> None:
    with replicas(database, reading(database), tmp_path, build) as apis:
        async with made_world(db, apis) as world:
            await live(world, db, least_seconds, until_wrong=False)
        assert world.violations == []
        # it should have read every route, and from memory
        assert hits(apis) > 0
    assert len(world.checked) >= len(READS)
    assert min(world.checked.values()) > READS_OF_EACH_ROUTE


# The statements that number the changes, and those that would use a sequence. A profile is then changed without the
# head's lock, so that its change may be committed after later ones.
NUMBERED = {
    "publish": ("head.last_seq + rank, 'post'", "nextval('wrong'), 'post'"),
    "vote": ("head.last_seq + row_number() OVER (ORDER BY t.post), 'vote'", "nextval('wrong'), 'vote'"),
    "set_visible": ("head.last_seq + row_number() OVER (ORDER BY id), CASE", "nextval('wrong'), CASE"),
    "edit_profile": ("PERFORM FROM log_head FOR UPDATE;", ""),
    "append_change": (
        "UPDATE log_head SET last_seq = last_seq + 1 RETURNING last_seq INTO newest;",
        "newest := nextval('wrong'); PERFORM pg_sleep(random() * 0.02);",
    ),
}


async def draw_seq_from_a_sequence(db: asyncpg.Connection) -> None:
    """Number the changes as many boards do."""
    await db.execute("CREATE SEQUENCE wrong START 1000")
    for name, (right, wrong) in NUMBERED.items():
        definition = function_files()[name].read_text()
        assert right in definition, name
        await db.execute(definition.replace(right, wrong))


@pytest.mark.parametrize("wrong", [WRONG, *(pytest.param(build, marks=pytest.mark.slow) for build in MORE_WRONG)])
async def test_a_build_that_serves_stale_answers_is_caught(
    wrong: str, database: str, reading: Reading, db: asyncpg.Connection, tmp_path: Path
) -> None:
    with replicas(database, reading(database), tmp_path, wrong) as apis:
        async with made_world(db, apis) as world:
            if "sequence" in wrong:
                await draw_seq_from_a_sequence(db)
            await live(world, db, 0, until_wrong=True)
    assert world.violations
