"""Every read that starts after a write was answered shows it, on every route of every replica (architecture 5).

FRESH_SECONDS sets how long it goes on (60).
"""

import asyncio
import os
import random
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import aiohttp
import asyncpg
import pytest

from services.board import communities, moderation
from services.board.database import SQL, writing_connection
from tests.conftest import Reading
from tests.load import enlist
from tests.memory.world import READS, World
from tests.processes import ApiProcess

SECONDS = float(os.environ.get("FRESH_SECONDS", "60"))
REPLICAS, WRITERS, READERS, VICTIMS, QUIET = 3, 50, 50, 40, 40
WRONG = (
    "validates once a second",
    "joins an earlier question",
    "keeps tokens for 5 s",
    "draws seq from a sequence",
    "forgets that votes show on threads",
    "forgets that profiles change",
    "forgets that hiding shows on receipts",
    "forgets that posts show on statistics",
)


class WrongApi(ApiProcess):
    """One of the wrong builds."""

    module = "tests.memory.wrong_api"


@contextmanager
def replicas(database: str, read_url: str, folder: Path, wrong: str | None) -> Iterator[list[ApiProcess]]:
    settings = {"READ_DATABASE_URL": read_url, "LIMIT_POSTS": "1000/60", "LOG_LEVEL": "warning"}
    if wrong:
        settings["WRONG"] = wrong
    kind = WrongApi if wrong else ApiProcess
    started = [kind(database, folder / f"api{number}", **settings) for number in range(REPLICAS)]
    try:
        for process in started:
            process.launch()
        for process in started:
            process.wait_until_ready()
        yield started
    finally:
        for process in started:
            process.stop()


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


async def operate(db: asyncpg.Connection, world: World) -> None:
    """What operators do meanwhile: they hide threads and describe a community."""
    for victim in world.victims:
        await world.call("GET", f"/api/threads/{victim}")
        await world.call("GET", f"/api/posts/{victim}/receipt")
        world.hides_begun += 1
        await moderation.hide(db, victim, "Off topic.", "olga")
        world.known["hidden"] = world.known["hidden"] | {victim}
        version = world.known["described"] + 1
        await communities.describe(db, "meta", f"Version {version}.", "olga")
        world.known["described"] = version
        await asyncio.sleep(SECONDS / VICTIMS)


async def live(world: World, db: asyncpg.Connection, seconds: float, until_wrong: bool) -> None:
    """Writers and readers, for so long or until something stale was seen."""
    end = asyncio.get_running_loop().time() + seconds

    def over() -> bool:
        return asyncio.get_running_loop().time() > end or (until_wrong and bool(world.violations))

    async def write(number: int) -> None:
        while not over():
            await world.write(number)
            await asyncio.sleep(world.chance.random() * 0.2)

    async def read() -> None:
        while not over():
            await world.read()
            # else they would go in step with the questions that they share
            await asyncio.sleep(world.chance.random() * 0.05)

    operators = asyncio.create_task(operate(db, world))
    await asyncio.gather(*(write(number) for number in range(WRITERS)), *(read() for _ in range(READERS)))
    operators.cancel()


@pytest.fixture
async def db(database: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await writing_connection(database, lock_timeout="30s", statement_timeout="30s")
    # there is a description to begin with
    await communities.describe(connection, "meta", "Version 0.", "olga")
    yield connection
    await connection.close()


def hits(apis: list[ApiProcess]) -> float:
    pages = [api.operator("/metrics")[1] for api in apis]
    return sum(
        float(found) for page in pages for found in re.findall(r"agent_board_memory_hits_total ([0-9.e+]+)", page)
    )


@pytest.mark.parametrize(("build", "seconds"), [(None, SECONDS), ("is right on a slow network", SECONDS / 4)])
async def test_every_read_shows_what_was_answered_before_it_began(
    build: str | None, seconds: float, database: str, reading: Reading, db: asyncpg.Connection, tmp_path: Path
) -> None:
    with replicas(database, reading(database), tmp_path, build) as apis:
        async with made_world(db, apis) as world:
            await live(world, db, seconds, until_wrong=False)
        assert world.violations == []
        # it should have been memory that was read, and every route
        assert hits(apis) > 0
    assert len(world.checked) >= len(READS)
    assert min(world.checked.values()) > 10


# What numbers the changes, and what would if a sequence did; a profile is then changed without the head's lock, so that
# its change may be committed after later ones.
NUMBERED = {
    "publish": ("head.last_seq + rank, 'post'", "nextval('wrong'), 'post'"),
    "vote": ("head.last_seq + row_number() OVER (ORDER BY t.post), 'vote'", "nextval('wrong'), 'vote'"),
    "set_hidden": ("head.last_seq + row_number() OVER (ORDER BY id), CASE", "nextval('wrong'), CASE"),
    "edit_profile": ("PERFORM FROM log_head FOR UPDATE;", ""),
    "append_change": (
        "UPDATE log_head SET last_seq = last_seq + 1 RETURNING last_seq INTO newest;",
        "newest := nextval('wrong'); PERFORM pg_sleep(random() * 0.02);",
    ),
}


async def draw_seq_from_a_sequence(db: asyncpg.Connection) -> None:
    """Number the changes as many would."""
    await db.execute("CREATE SEQUENCE wrong START 1000")
    for name, (right, wrong) in NUMBERED.items():
        definition = (SQL / f"{name}.sql").read_text()
        assert right in definition, name
        await db.execute(definition.replace(right, wrong))


@pytest.mark.parametrize("wrong", WRONG)
async def test_a_build_that_is_stale_is_caught(
    wrong: str, database: str, reading: Reading, db: asyncpg.Connection, tmp_path: Path
) -> None:
    with replicas(database, reading(database), tmp_path, wrong) as apis:
        async with made_world(db, apis) as world:
            if "sequence" in wrong:
                await draw_seq_from_a_sequence(db)
            await live(world, db, 3 * SECONDS, until_wrong=True)
    assert world.violations
