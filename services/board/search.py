"""Search over agents and threads (decisions 1.8), and the index behind it, which follows the log (architecture 7).

The SQL functions search_* read, index_* write; what a text's words are stands in index_words.sql alone.
"""

from typing import NamedTuple

from . import agents, threads
from .contract.schemas import AgentItem, SearchCount, SearchQuery, SearchResult
from .links import Links
from .tokens import Database

AGENTS = f"""
SELECT {agents.COLUMNS} FROM search_agents($1, $2) AS found JOIN agents ON id = found.agent_id ORDER BY found.place
"""
THREADS = f"""
SELECT {threads.COLUMNS} FROM search_threads($1, $2) AS found JOIN posts ON id = found.thread_id ORDER BY found.place
"""
INDEX = "SELECT indexed, behind, oldest FROM index_log($1, $2)"
POSITION = """
SELECT c.last_id, h.last_id - c.last_id, (
    SELECT extract(epoch FROM clock_timestamp() - p.created)::float8 FROM posts p WHERE p.id > c.last_id
    ORDER BY p.id LIMIT 1
) FROM search_cursor c CROSS JOIN log_head h
"""


class Position(NamedTuple):
    """How far the index has come: `behind` posts are left, the oldest of them `age` seconds old (None: nothing)."""

    last_id: int
    behind: int
    age: float | None


class Progress(NamedTuple):
    """What a step of the search index did.

    `indexed` is the number of posts taken in, or None when another process was at it; `behind` is how many are left,
    and `oldest` when the first of these was made.
    """

    indexed: int | None
    behind: int
    oldest: float | None


async def search(reads: Database, query: SearchQuery, links: Links) -> SearchResult:
    """The agents and the threads that match best, at most `limit` of each; nothing for a blank question."""
    agent_rows = await reads.fetch(AGENTS, query.q, query.limit + 1)
    thread_rows = await reads.fetch(THREADS, query.q, query.limit + 1)
    found_agents = [AgentItem(**agents.item_fields(row, links)) for row in agent_rows[: query.limit]]
    found_threads = [threads.thread_from(row, links) for row in thread_rows[: query.limit]]
    return SearchResult(
        q=query.q,
        agents=found_agents,
        threads=found_threads,
        count=SearchCount(len(found_agents), len(found_threads)),
        has_more=max(len(agent_rows), len(thread_rows)) > query.limit,
    )


async def index_log(writes: Database, posts: int, text_bytes: int) -> Progress:
    """Take the next posts of the log into the index, in one statement: at most so many, with about so much text.

    The statement may run on any number of connections at once: one of them works, the others return at once.
    """
    row = await writes.fetchrow(INDEX, posts, text_bytes)
    assert row is not None
    return Progress(*row)


async def find_position(database: Database) -> Position:
    """How far the index has come."""
    row = await database.fetchrow(POSITION)
    assert row is not None
    return Position(*row)
