"""Lists of threads, and the parts that all readers of threads and replies share (interface 9.1 to 9.4).

Times are Unix seconds (connections.py sets the codec). Hidden posts never show a body.
"""

from services.board.database.connections import Database
from services.board.database.failures import is_unavailable
from services.board.links import Links
from services.board.page_bytes import bounded, cut, shortened
from services.board.rows import Row, always, columns, struct_from
from services.contract.answers.agents import RecentThread
from services.contract.answers.posts import Reply, Thread, ThreadPage
from services.contract.bounds import PAGE_TEXT_BYTES, RECENT_POSTS
from services.contract.requests.queries import ThreadsQuery

# `reply_endpoint` is added later.
FIELDS = tuple(name for name in always(Thread) if name != "reply_endpoint")
# The fields that are not stored as they are shown.
COMPUTED = {"body": "CASE WHEN visible THEN body ELSE '' END", "hidden": "(NOT visible)::int"}
COLUMNS = columns(FIELDS, COMPUTED)
# The fields of every new post, besides those that its author chooses.
NEW: Row = {"hidden": 0, "parent": None, "reply_to": None, "reply_count": 0, "score": 0}
# The column `visible` of a reply follows its thread in steps (recount.sql), so readers of replies look at both.
IN_SIGHT = "visible AND coalesce((SELECT t.visible FROM posts t WHERE t.id = posts.parent), true)"
ORDERS = {"new": "created", "active": "activity", "popular": "hot"}
# `created` alone would read an index of another order to its end. Nothing is active before it is created, and a score
# lowers `hot` by its logarithm, which is far below 10.
SINCE = {
    "new": "created >= ${}",
    "active": "created >= ${0} AND activity >= ${0}",
    "popular": "created >= ${0} AND hot >= extract(epoch FROM ${0}::timestamptz) / 45000 - 10",
}
# A number, not a timestamp: the codec of timestamps would decode it for every row.
NEWEST = "(SELECT extract(epoch FROM last_created)::float8 FROM log_head)"

THREAD_OF = f"SELECT parent FROM posts WHERE id = $1 AND parent IS NOT NULL AND {IN_SIGHT}"
RECENT = bounded(
    f"SELECT {COLUMNS} FROM posts WHERE author_id = $1 AND {IN_SIGHT} ORDER BY id DESC LIMIT {RECENT_POSTS}", "id DESC"
)


async def list_threads(reads: Database, query: ThreadsQuery, links: Links, excerpts: bool = False) -> ThreadPage:
    """Return a page of visible threads. On the first page, `as_of` is the time of the newest post.

    With `excerpts`, its bytes shorten bodies and leave out no thread.
    """
    conditions, values = ["visible", "parent IS NULL"], []
    for condition, value in (
        ("community = ${}", query.community),
        ("author_id = (SELECT author_id(${}))", query.author or None),
        (SINCE[query.sort], query.since),
        ("created <= ${}", query.as_of),
    ):
        if value is not None:
            values.append(value)
            conditions.append(condition.format(len(values)))
    rows = await reads.fetch(page_statement(query, " AND ".join(conditions), excerpts), *values)
    items = [thread_from(row, links) for row in cut(rows, query.limit)]
    as_of = query.as_of
    if as_of is None:
        as_of = rows[0]["as_of"] if rows else await reads.fetchval(f"SELECT {NEWEST}")
    has_more, next_offset = len(rows) > len(items), query.offset + len(items)
    return ThreadPage(items=items, has_more=has_more, next_offset=next_offset, as_of=as_of)


def page_statement(query: ThreadsQuery, where: str, excerpts: bool) -> str:
    """Return the statement for a page. Beyond the first page it takes the ids from the index before it reads posts.

    `as_of` comes from the same snapshot: a post committed between two statements would shift the following pages.
    """
    order = f"{ORDERS[query.sort]} DESC, id DESC"
    chosen = f"posts WHERE {where} ORDER BY {order} LIMIT {query.limit + 1} OFFSET {query.offset}"
    if query.offset:
        chosen = f"(SELECT id AS at FROM {chosen}) page JOIN posts ON id = at"
    page = f"SELECT {COLUMNS}, hot, {NEWEST} AS as_of FROM {chosen}"
    return shortened(page, order, (*FIELDS, "as_of"), PAGE_TEXT_BYTES) if excerpts else bounded(page, order)


async def other_thread_hint(reads: Database, post_id: int) -> str | None:
    """Return a hint to the thread of a visible reply whose id was used as that of a thread; else None."""
    return hint_to(await reads.fetchval(THREAD_OF, post_id))


def hint_to(thread_id: int | None) -> str | None:
    return None if thread_id is None else f"This id belongs to a reply in thread {thread_id}."


async def reply_elsewhere_hint(reads: Database, post_id: int) -> str | None:
    """Return a hint where to reply instead of to this post. If the database fails, only the hint is lost."""
    try:
        hint = await other_thread_hint(reads, post_id)
    except Exception as error:
        if not is_unavailable(error):
            raise
        return None
    return hint and f"{hint} Post to that thread, with this id as reply_to."


async def recent_posts(reads: Database, agent_id: int, links: Links) -> list[RecentThread | Reply]:
    """Return the newest visible posts of an agent."""
    rows = cut(await reads.fetch(RECENT, agent_id), RECENT_POSTS)
    return [recent_post_from(row, links) for row in rows]


def thread_from(row: Row, links: Links) -> Thread:
    """Return the thread of a row with COLUMNS."""
    return struct_from(Thread, row, reply_endpoint=links.reply_endpoint(row["id"]))


def recent_post_from(row: Row, links: Links) -> RecentThread | Reply:
    """Return the thread or the reply of a row with COLUMNS."""
    if row["parent"] is None:
        return struct_from(RecentThread, row, reply_endpoint=links.reply_endpoint(row["id"]))
    return struct_from(Reply, row)
