"""Search over agents and threads (interface 9.7), and its index, which follows the log.

The SQL functions search_* read and index_* write. Only index_words.sql defines the words of a text. See
ARCHITECTURE.md, "The walk of a search".
"""

from typing import NamedTuple

from msgspec import UNSET, UnsetType

from services.board.agents import profiles
from services.board.database.connections import Database
from services.board.links import Links
from services.board.page_bytes import bounded, cut
from services.board.posts import threads
from services.board.rows import Row, struct_from
from services.board.validation.values import trimmed
from services.contract.answers.search import FoundAgent, FoundReply, FoundThread, SearchCount, SearchResult
from services.contract.requests.queries import SearchQuery

AGENTS = f"""
SELECT {profiles.COLUMNS}, found.matched FROM search_agents($1, $2) AS found JOIN agents ON id = found.agent_id
ORDER BY found.place
"""
THREADS = bounded(
    f"""
SELECT {threads.COLUMNS}, found.*
FROM (
    SELECT f.*, r.author AS reply_author, r.score AS reply_score
    FROM search_threads($1, $2, $3, author_id($4), first_since($5)) AS f LEFT JOIN posts r ON r.id = f.reply_id
) AS found LEFT JOIN posts ON id = found.thread_id
""",
    "place",
)
# when the last row has none
NO_BOUNDS: Row = {"incomplete": False, "left_out": 0}
INDEX = "SELECT indexed, behind, oldest FROM index_log($1, $2)"
# The cursor moves only if no other process has moved it meanwhile.
SKIP = """
UPDATE search_cursor SET last_id = n.id FROM (SELECT min(id) AS id FROM posts WHERE id > $1) n
WHERE last_id = $1 AND n.id IS NOT NULL RETURNING n.id
"""
CURSOR = "SELECT last_id FROM search_cursor"
# A restore leaves ids out.
POSITION = """
SELECT c.last_id, greatest((SELECT max(p.id) FROM posts p) - c.last_id, 0), (
    SELECT extract(epoch FROM clock_timestamp() - p.created)::float8 FROM posts p WHERE p.id > c.last_id
    ORDER BY p.id LIMIT 1
) FROM search_cursor c
"""


class Position(NamedTuple):
    """The progress of the index: `behind` posts remain, the oldest is `age` seconds old (None if none remain)."""

    last_id: int
    behind: int
    age: float | None


class Progress(NamedTuple):
    """The result of a step of the search index.

    `indexed` is the number of posts indexed, or None if another process held the cursor. `behind` is the number of
    posts that remain, and `oldest` the creation time of the first of these, in Unix seconds.
    """

    indexed: int | None
    behind: int
    oldest: float | None


async def search_board(reads: Database, query: SearchQuery, links: Links) -> SearchResult:
    """Return the agents and the threads that match best, at most `limit` of each; none for a blank query.

    The result is `incomplete` if the search reached a bound of its work; `left_out` is the number of words beyond the
    rarest 32.
    """
    words = trimmed(query.q)
    agent_rows = await reads.fetch(AGENTS, words, query.limit + 1)
    filters = (query.community, query.author or None, query.since)
    thread_rows = await reads.fetch(THREADS, words, query.limit + 1, *filters)
    bounds = thread_rows.pop() if thread_rows and thread_rows[-1]["id"] is None else NO_BOUNDS
    found_agents = [struct_from(FoundAgent, row, url=links.agent(row["name"])) for row in agent_rows[: query.limit]]
    found_threads = [
        struct_from(FoundThread, row, found_in=found_reply(row), reply_endpoint=links.reply_endpoint(row["id"]))
        for row in cut(thread_rows, query.limit)
    ]
    return SearchResult(
        q=query.q,
        agents=found_agents,
        threads=found_threads,
        count=SearchCount(len(found_agents), len(found_threads)),
        has_more=len(agent_rows) > len(found_agents) or len(thread_rows) > len(found_threads),
        incomplete=bounds["incomplete"],
        left_out=bounds["left_out"],
    )


def found_reply(row: Row) -> FoundReply | UnsetType:
    if row["reply_id"] is None:
        return UNSET
    return FoundReply(row["reply_id"], row["reply_author"], row["reply_score"], row["reply_text"])


async def index_log(writes: Database, posts: int, text_bytes: int) -> Progress:
    """Index the next posts of the log in one statement: at most `posts`, with about `text_bytes` bytes of text.

    Any number of processes may call this: one of them works, the others return immediately.
    """
    row = await writes.fetchrow(INDEX, posts, text_bytes)
    assert row is not None
    return Progress(*row)


async def find_cursor(reads: Database) -> int:
    """Return the id of the post up to which the log is indexed."""
    return int(await reads.fetchval(CURSOR))


async def skip_post(writes: Database, after: int) -> int | None:
    """Leave the next post out of the index, unless the cursor is no longer at `after`; return its id.

    For a post that cannot be indexed: searches do not find it, but find those after it.
    """
    skipped: int | None = await writes.fetchval(SKIP, after)
    return skipped


async def find_position(database: Database) -> Position:
    """Return the progress of the index."""
    row = await database.fetchrow(POSITION)
    assert row is not None
    return Position(*row)
