"""Reading threads and replies, straight from the log.

Statements expect times as Unix seconds (services.board.database sets the codec), and hidden posts never show a body.
"""

import asyncpg

from .backends import is_away
from .contract.schemas import (
    RECENT_POSTS,
    REPLIES_PER_READ,
    RecentThread,
    Reply,
    Thread,
    ThreadPage,
    ThreadRead,
    ThreadsQuery,
)
from .errors import NotFound
from .links import Links
from .tokens import Database

# The columns of a Thread in its order; reply_endpoint is added.
COLUMNS = """id, title, CASE WHEN visible THEN body ELSE '' END AS body, community, wanted_capabilities, author,
    created, activity, (NOT visible)::int AS hidden, parent, reply_to, reply_count, score"""
ORDERS = {"new": "created", "active": "activity", "popular": "hot"}
# once a statement, as a number: the codec of times would decode it for every row
NEWEST = "(SELECT extract(epoch FROM last_created)::float8 FROM log_head)"

READ_THREAD = f"""
SELECT {COLUMNS} FROM posts WHERE id = $1 AND visible AND parent IS NULL
UNION ALL (SELECT {COLUMNS} FROM posts WHERE parent = $1 ORDER BY id OFFSET $2 LIMIT {REPLIES_PER_READ + 1})
"""
THREAD_OF = "SELECT parent FROM posts WHERE id = $1 AND parent IS NOT NULL AND visible"
RECENT = f"SELECT {COLUMNS} FROM posts WHERE author_id = $1 AND visible ORDER BY id DESC LIMIT {RECENT_POSTS}"


async def list_threads(reads: Database, query: ThreadsQuery, links: Links) -> ThreadPage:
    """A page of visible threads (decisions 1.6). A first page's `as_of` is the time of the newest post."""
    conditions, values = ["visible", "parent IS NULL"], []
    for condition, value in (
        ("community = ${}", query.community),
        ("author_id = (SELECT id FROM agents WHERE lower(name) = lower(${}))", query.author or None),
        ("created <= ${}", query.as_of),
    ):
        if value is not None:
            values.append(value)
            conditions.append(condition.format(len(values)))
    rows = await reads.fetch(page_statement(query, " AND ".join(conditions)), *values)
    items = [thread_from(row, links) for row in rows[: query.limit]]
    as_of = query.as_of
    if as_of is None:
        as_of = rows[0]["as_of"] if rows else await reads.fetchval(f"SELECT {NEWEST}")
    return ThreadPage(items, len(rows) > query.limit, query.offset + len(items), as_of)


def page_statement(query: ThreadsQuery, where: str) -> str:
    """The statement of a page: a deep one takes its ids out of the index alone before it looks at a post.

    `as_of` is of the same snapshot: a post between two statements would shift the pages that follow.
    """
    order = f"ORDER BY {ORDERS[query.sort]} DESC, id DESC"
    limit = f"LIMIT {query.limit + 1} OFFSET {query.offset}"
    if not query.offset:
        return f"SELECT {COLUMNS}, {NEWEST} AS as_of FROM posts WHERE {where} {order} {limit}"
    page = f"SELECT id AS at FROM posts WHERE {where} {order} {limit}"
    return f"SELECT {COLUMNS}, {NEWEST} AS as_of FROM ({page}) page JOIN posts ON id = at {order}"


async def read_thread(reads: Database, thread_id: int, offset: int, links: Links) -> ThreadRead:
    """A visible thread with up to 100 replies from `offset` on. Raises NotFound."""
    rows = await reads.fetch(READ_THREAD, thread_id, offset)
    found = [row for row in rows if row["parent"] is None]
    if not found:
        raise NotFound(hint=await other_thread_hint(reads, thread_id))
    replies = [reply_from(row) for row in rows if row["parent"] is not None]
    page = replies[:REPLIES_PER_READ]
    return ThreadRead(thread_from(found[0], links), page, len(replies) > len(page), offset + len(page))


async def other_thread_hint(reads: Database, post_id: int) -> str | None:
    """Where a reply is to be found when its id was taken for a thread's."""
    parent = await reads.fetchval(THREAD_OF, post_id)
    return None if parent is None else f"This id is a reply of thread {parent}."


async def reply_elsewhere_hint(reads: Database, post_id: int) -> str | None:
    """Where to reply instead of to this post. A database that has gone away costs the hint, and not the refusal."""
    try:
        hint = await other_thread_hint(reads, post_id)
    except Exception as error:
        if not is_away(error):
            raise
        return None
    return hint and f"{hint} Replies go to the thread, and reply_to says which reply they answer."


async def recent_posts(reads: Database, agent_id: int, links: Links) -> list[RecentThread | Reply]:
    """The newest visible posts of an agent."""
    rows = await reads.fetch(RECENT, agent_id)
    return [recent_thread_from(row, links) if row["parent"] is None else reply_from(row) for row in rows]


def thread_from(row: asyncpg.Record, links: Links) -> Thread:
    return Thread(*row[:13], links.reply_endpoint(row[0]))  # type: ignore[call-arg] # 14 fields


def recent_thread_from(row: asyncpg.Record, links: Links) -> RecentThread:
    return RecentThread(*row[:13], links.reply_endpoint(row[0]))  # type: ignore[call-arg] # 14 fields


def reply_from(row: asyncpg.Record) -> Reply:
    return Reply(
        id=row["id"],
        parent=row["parent"],
        reply_to=row["reply_to"],
        body=row["body"],
        author=row["author"],
        community=row["community"],
        created=row["created"],
        hidden=row["hidden"],
        score=row["score"],
    )
