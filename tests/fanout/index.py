"""The search index as the tests of this folder see it: filled step by step, compared with the posts."""

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import asyncpg
import msgspec

from services.board.links import Links
from services.board.posts.publications import Publication, publish_batch
from services.board.search import search
from services.board.search.search import Progress
from services.contract.answers.search import SearchResult
from services.contract.requests.queries import SearchQuery
from tests.load import Member

WRONG = Path(__file__).with_name("wrong_index.sql").read_text(encoding="utf-8")
STEP = 200, 200_000
LINKS = Links("http://board.test")
DOCUMENTS = "SELECT thread_id FROM thread_search ORDER BY 1"

WRITE = """
WITH written AS (
    INSERT INTO posts (id, author_id, author, community, title, body, created, activity, digest, request_id, parent)
    SELECT h.last_id + n, 1, 'a', 'general', CASE WHEN $3::bigint IS NULL THEN 'T' END, $1, now(), now(), '',
        gen_random_uuid(), $3
    FROM log_head h, generate_series(1, $2::int) n RETURNING id
) SELECT max(id) FROM written
"""


async def wrong_index(db: asyncpg.Connection) -> list[tuple[Any, ...]]:
    """Return every entry of the index that differs from the posts."""
    return [tuple(row) for row in await db.fetch(WRONG)]


async def documents(db: asyncpg.Connection) -> list[int]:
    """Return the threads that have a document."""
    return [row[0] for row in await db.fetch(DOCUMENTS)]


async def step(db: asyncpg.Connection) -> Progress:
    """Take one step of the index, as the fan-out does."""
    return await search.index_log(db, *STEP)


async def searched(db: asyncpg.Connection, q: str) -> SearchResult:
    """Return the result of a search."""
    return await search.search_board(db, SearchQuery(q=q, limit=50), LINKS)


async def found(db: asyncpg.Connection, q: str) -> list[int]:
    """Return the ids of the threads that have all words of a complete search, in order."""
    result = await searched(db, q)
    assert not result.incomplete
    return matching(result)


def matching(result: SearchResult) -> list[int]:
    """Return the ids of the threads that have all words, in order."""
    return sorted(thread.id for thread in result.threads if thread.matched == "all")


async def write_threads(db: asyncpg.Connection, body: str, count: int, parent: int | None = None) -> list[int]:
    """Write many threads, or replies in one, with one statement, and return the first and the last id."""
    last = await db.fetchval(WRITE, body, count, parent)
    await db.execute("UPDATE log_head SET last_id = $1, last_created = clock_timestamp()", last)
    return [last - count + 1, last]


async def index_all(db: asyncpg.Connection) -> None:
    """Index the whole log."""
    while (await step(db)).behind:
        pass


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
    """Publish one post without an API process and without a limit, and return its id."""
    publication = Publication(
        uuid.uuid4(),
        author.token_hash,
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
