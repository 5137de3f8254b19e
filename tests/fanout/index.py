"""The search index as the tests of this folder see it: filled step by step, compared with what the posts say."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import msgspec

from services.board import moderation, search
from services.board.contract.schemas import SearchQuery
from services.board.links import Links
from services.board.posts import Publication, publish_batch
from services.board.search import Progress
from tests.load import Member
from tests.log.locks import until

WRONG = Path(__file__).with_name("wrong_index.sql").read_text(encoding="utf-8")
STEP = 200, 200_000
LINKS = Links("http://board.test")

# While a row is in `holding`, what the trigger stands before does not go on.
HOLD = """
CREATE TABLE holding ();
INSERT INTO holding DEFAULT VALUES;
CREATE FUNCTION hold_step() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    WHILE EXISTS (SELECT FROM holding) LOOP PERFORM pg_sleep(0.01); END LOOP;
    RETURN coalesce(NEW, OLD);
END $$;
"""
HELD = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep')"
BLOCKED = """
SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
    AND query LIKE '%set_hidden%')
"""


async def wrong_index(db: asyncpg.Connection) -> list[tuple[Any, ...]]:
    """Everything in the index that is not what the posts say."""
    return [tuple(row) for row in await db.fetch(WRONG)]


async def step(db: asyncpg.Connection) -> Progress:
    """One step of the index, as the fanout takes it."""
    return await search.index_log(db, *STEP)


async def found(db: asyncpg.Connection, q: str) -> list[int]:
    """The threads that a search finds, by id."""
    result = await search.search(db, SearchQuery(q=q, limit=50), LINKS)
    return sorted(thread.id for thread in result.threads)


async def index_all(db: asyncpg.Connection) -> None:
    """Take in the whole log."""
    while (await step(db)).behind:
        pass


async def caught_up(db: asyncpg.Connection) -> None:
    """Return when the index has taken in the whole log; somebody else does it."""

    async def reached() -> bool:
        newest = "SELECT last_id = (SELECT coalesce(max(id), 0) FROM posts) FROM search_cursor"
        return bool(await db.fetchval(newest))

    await until(reached)


async def publish(
    db: asyncpg.Connection,
    author: Member,
    title: str = "A title",
    body: str = "A body.",
    *,
    wanted: Sequence[str] = (),
    parent: int | None = None,
    community: str = "general",
) -> int:
    """Publish one post, past the api and without a limit, and return its id."""
    publication = Publication(
        uuid.uuid4(),
        author.token_hash,
        None,
        None,
        parent,
        None,
        None if parent else title,
        body,
        None if parent else community,
        msgspec.json.encode(wanted).decode(),
        None,
    )
    await db.execute("UPDATE agents SET post_times = '{}' WHERE id = $1", author.id)
    (outcome,) = await publish_batch(db, [publication], True)
    assert outcome.outcome == "created"
    return outcome.post_id


async def set_hidden(db: asyncpg.Connection, post: int, hidden: bool) -> None:
    """Hide a post or show it again."""
    assert await moderation.set_hidden(db, post, hidden, "tester", "A reason.")


@asynccontextmanager
async def held(db: asyncpg.Connection, place: str) -> AsyncIterator[None]:
    """Until the block ends, no step passes the place: `UPDATE ON search_cursor`, `DELETE ON open_requests`, ..."""
    await db.execute(f"{HOLD} CREATE TRIGGER hold BEFORE {place} FOR EACH ROW EXECUTE FUNCTION hold_step()")
    try:
        yield
    finally:
        await db.execute("DELETE FROM holding")


async def standing(db: asyncpg.Connection) -> None:
    """Return when a step stands at the place where it is held."""

    async def stands() -> bool:
        return bool(await db.fetchval(HELD))

    await until(stands)


async def waits(db: asyncpg.Connection, call: "asyncio.Task[None]") -> bool:
    """Whether hiding or showing waits for a lock; False when it was done without."""

    async def decided() -> bool:
        return call.done() or bool(await db.fetchval(BLOCKED))

    await until(decided)
    return not call.done()
