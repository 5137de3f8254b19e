"""Streams: the log in the order of its ids (interface 10.1, 10.2, 10.3).

Ids are dense and rise in commit order, so a client that follows `next_after` misses nothing. Cursors are post ids.
"""

from collections.abc import Sequence
from typing import Literal

import asyncpg

from services.board.access.tokens import WORKING, Caller
from services.board.database.connections import Database
from services.board.links import Links
from services.board.page_bytes import bounded, cut
from services.board.rows import Row, columns, rows_of_holders, struct_from
from services.contract.answers.streams import (
    ActivityPage,
    ModerationAction,
    ModerationPage,
    Notification,
    NotificationPage,
)
from services.contract.bounds import ID_MAX
from services.contract.requests.queries import ActivityQuery, HomeQuery, ModerationQuery, NotificationsQuery

from . import threads
from .published import post_from

# Hidden posts have no text.
SEEN = {
    "title": "CASE WHEN seen THEN p.title ELSE '' END",
    "body": "CASE WHEN seen THEN p.body ELSE '' END",
    "wanted_capabilities": "CASE WHEN seen THEN p.wanted_capabilities ELSE '{{}}' END",
    "hidden": "(NOT seen)::int",
}
# The columns of a thread, and the title of the post's thread.
ACTIVITY = bounded(
    f"""
SELECT {columns(threads.FIELDS, SEEN, "p.")},
    CASE WHEN t.visible THEN t.title WHEN p.parent IS NULL AND seen THEN p.title ELSE '' END AS thread_title
FROM (
    SELECT {threads.COLUMNS}, visible FROM posts {{where}} ORDER BY id {{order}} LIMIT {{limit}}
) p LEFT JOIN posts t ON t.id = p.parent CROSS JOIN LATERAL (SELECT p.visible AND t.visible IS NOT FALSE AS seen) s
""",
    "id {order}",
)
# The kinds of notifications, by their events.
KINDS: dict[str, Literal["reply_to_thread", "reply_to_reply"]] = {
    "thread.reply": "reply_to_thread",
    "reply.reply": "reply_to_reply",
}
# The subselect hides the cursor from the planner, which would otherwise plan every poll again.
AFTER = "WHERE id > (SELECT $1::bigint)"
MODERATION = """
SELECT m.id, m.action, m.post_id, a.name AS agent, m.category, m.at AS time
FROM (SELECT id, action, post_id, agent_id, category, at FROM moderation {where} ORDER BY id {order} LIMIT {limit}) m
LEFT JOIN agents a ON a.id = m.agent_id
ORDER BY m.id {order}
"""
NOTIFICATION_FIELDS = ("id", "event", "thread_id", "thread_title", "reply_to", "author", "body", "created")


def page_order(newest: str) -> str:
    """Return the SQL of the order of a page of notifications: the newest first if that column is true."""
    return f"CASE WHEN {newest} THEN -id ELSE id END"


# The subselects hide the number of callers from the planner, as in AFTER.
NOTIFICATIONS = bounded(
    f"""
SELECT page.*, newest, reader FROM unnest((SELECT $1::bigint[]), (SELECT $2::float8[]), (SELECT $3::bigint[]),
        (SELECT $4::bigint[]), (SELECT $5::int[]), (SELECT $6::boolean[])) WITH ORDINALITY
    AS asked (agent, issued, after, before, wanted, newest, reader) {WORKING} LEFT JOIN LATERAL (
        SELECT * FROM read_notifications(agent, after, wanted) WHERE NOT newest AND id < before
        UNION ALL SELECT * FROM read_newest_notifications(agent, after, before, wanted) WHERE newest
    ) page ON true
""",
    page_order("newest"),
    partition="reader",
)


async def list_activity(reads: Database, query: ActivityQuery, links: Links) -> ActivityPage:
    """Return the posts of the log after a cursor, hidden ones without text; without a cursor, the newest posts."""
    if query.after is None:
        newest = cut(await reads.fetch(ACTIVITY.format(where="", order="DESC", limit=query.limit)), query.limit)
        items = [post_from(row, links) for row in reversed(newest)]
        return ActivityPage(items, False, items[-1].id if items else 0)
    rows = await reads.fetch(ACTIVITY.format(where=AFTER, order="ASC", limit=query.limit + 1), query.after)
    items = [post_from(row, links) for row in cut(rows, query.limit)]
    return ActivityPage(items, len(rows) > len(items), items[-1].id if items else query.after)


async def list_moderation(reads: Database, query: ModerationQuery) -> ModerationPage:
    """Return what operators did after a cursor; without a cursor, the newest actions."""
    if query.after is None:
        newest = await reads.fetch(MODERATION.format(where="", order="DESC", limit=query.limit))
        items = [struct_from(ModerationAction, row) for row in reversed(newest)]
        return ModerationPage(items, False, items[-1].id if items else 0)
    rows = await reads.fetch(MODERATION.format(where=AFTER, order="ASC", limit=query.limit + 1), query.after)
    items = [struct_from(ModerationAction, row) for row in rows[: query.limit]]
    return ModerationPage(items, len(rows) > query.limit, items[-1].id if items else query.after)


async def read_notifications(
    reads: Database, asked: Sequence[tuple[Caller, NotificationsQuery]]
) -> list[list[asyncpg.Record] | None]:
    """Return the rows of a page for each caller and query: one more than the page holds if there are more.

    None for a caller whose token does not work.
    """
    values = [
        (caller.id, caller.issued, query.after, end_of(query), query.limit + 1, is_newest(query))
        for caller, query in asked
    ]
    return rows_of_holders(await reads.fetch(NOTIFICATIONS, *zip(*values, strict=True)), len(asked), "id")


def end_of(query: NotificationsQuery) -> int:
    """Return the id before which the page ends."""
    return ID_MAX + 1 if query.before is None else query.before


def is_newest(query: NotificationsQuery | HomeQuery) -> bool:
    """Return whether the newest notification comes first."""
    return query.order == "new"


def list_notifications(rows: Sequence[asyncpg.Record], query: NotificationsQuery, links: Links) -> NotificationPage:
    """Return the page of a reader's rows. From the newest on, `next_before` leads on, and the cursor stays."""
    page = notification_page(rows, query.after, query.limit, links)
    if is_newest(query):
        page.next_after = query.after
        page.next_before = page.items[-1].id if page.items else query.before or 0
    return page


def notification_page(rows: Sequence[Row], after: int, limit: int, links: Links) -> NotificationPage:
    """Return a page of at most `limit` from the rows of `read_notifications`."""
    items = [notification_from(row, links) for row in cut(rows, limit)]
    return NotificationPage(items, len(rows) > len(items), items[-1].id if items else after)


def notification_from(row: Row, links: Links) -> Notification:
    url = links.post(row["id"], row["thread_id"])
    return struct_from(Notification, row, kind=KINDS[row["event"]], post_id=row["id"], url=url)
