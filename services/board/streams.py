"""Streams: readings of the log in the order of its ids (decisions 1.10).

Ids are dense and rise in commit order, so who follows `next_after` misses nothing. Both cursors are post ids.
"""

import asyncpg

from .contract.schemas import (
    ActivityPage,
    ActivityQuery,
    ActivityReply,
    ActivityThread,
    Notification,
    NotificationPage,
    NotificationsQuery,
)
from .links import Links
from .tokens import Caller, Database

# The columns of a Thread in its order, and the title of the post's thread; what is hidden says nothing.
ACTIVITY = """
SELECT page.*, CASE WHEN t.visible THEN t.title WHEN page.parent IS NULL THEN page.title ELSE '' END AS thread_title
FROM (
    SELECT id, CASE WHEN visible THEN title ELSE '' END AS title, CASE WHEN visible THEN body ELSE '' END AS body,
        community, CASE WHEN visible THEN wanted_capabilities ELSE '{{}}' END AS wanted_capabilities, author, created,
        activity, (NOT visible)::int AS hidden, parent, reply_to, reply_count, score
    FROM posts {where} ORDER BY id {order} LIMIT {limit}
) page LEFT JOIN posts t ON t.id = page.parent ORDER BY page.id {order}
"""
# A cursor that the planner cannot see: it would make another plan at every poll.
AFTER = "WHERE id > (SELECT $1::bigint)"
# The ids come out of the two indexes alone; only those of the page are looked at.
NOTIFICATIONS = """
SELECT p.id, kind, p.parent, t.title, p.reply_to, p.author, p.body, p.created
FROM (
    (SELECT id AS at, 'reply_to_thread' AS kind FROM posts
        WHERE notified_thread_author = $1 AND visible AND id > $2 ORDER BY id LIMIT {limit})
    UNION ALL
    (SELECT id, 'reply_to_reply' FROM posts
        WHERE notified_reply_author = $1 AND visible AND id > $2 ORDER BY id LIMIT {limit})
    ORDER BY at LIMIT {limit}
) page JOIN posts p ON p.id = at JOIN posts t ON t.id = p.parent ORDER BY p.id
"""


async def list_activity(reads: Database, query: ActivityQuery, links: Links) -> ActivityPage:
    """Every post of the log after a cursor, hidden ones without their texts; without a cursor, the newest posts."""
    if query.after is None:
        rows = await reads.fetch(ACTIVITY.format(where="", order="DESC", limit=query.limit))
        rows.reverse()
    else:
        rows = await reads.fetch(ACTIVITY.format(where=AFTER, order="ASC", limit=query.limit + 1), query.after)
    items = [activity_from(row, links) for row in rows[: query.limit]]
    return ActivityPage(items, len(rows) > query.limit, items[-1].id if items else query.after or 0)


async def list_notifications(
    reads: Database, caller: Caller, query: NotificationsQuery, links: Links
) -> NotificationPage:
    """The visible replies by others to the caller's threads and replies after a cursor, each once."""
    rows = await reads.fetch(NOTIFICATIONS.format(limit=query.limit + 1), caller.id, query.after)
    items = [notification_from(row, links) for row in rows[: query.limit]]
    return NotificationPage(items, len(rows) > query.limit, items[-1].id if items else query.after)


def activity_from(row: asyncpg.Record, links: Links) -> ActivityThread | ActivityReply:
    post_id, _, body, community, _, author, created, _, hidden, parent, reply_to, _, score, thread_title = row
    url = links.post(post_id, parent)
    if parent is None:
        thread = (*row[:13], links.reply_endpoint(post_id))
        return ActivityThread(*thread, post_id, thread_title, url)  # type: ignore[call-arg] # 17 fields
    reply = (post_id, parent, reply_to, body, author, community, created, hidden, score)
    return ActivityReply(*reply, parent, thread_title, url)


def notification_from(row: asyncpg.Record, links: Links) -> Notification:
    post_id, kind, thread_id, thread_title, *said = row
    url = links.post(post_id, thread_id)
    return Notification(post_id, kind, post_id, thread_id, thread_title, *said, url)  # type: ignore[call-arg] # 10
