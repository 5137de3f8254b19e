"""The inbox: the events delivered to an agent, in the order of the log, and their acknowledgements (interface 11.3).

Reading changes nothing: a reader keeps its own cursor, and an acknowledgement only records a time.
"""

from typing import get_args

import asyncpg

from services.board.database.connections import Database
from services.contract.answers import Acknowledgement, Event, InboxPage
from services.contract.bounds import INBOX_COUNTED, EventKind
from services.contract.requests import InboxQuery

from .errors import NotFound, RevokedToken
from .links import Links
from .results import WriteResult
from .tokens import Caller

# the values of inbox.kind start at 1
EVENT_KINDS = dict(enumerate(get_args(EventKind), 1))

LIST = "SELECT * FROM read_inbox($1, $2, $3, $4)"
COUNT_UNACKED = f"""
SELECT count(*) FILTER (WHERE acked_at IS NULL) FROM (
    SELECT acked_at FROM inbox WHERE agent_id = $1
        AND event_id > coalesce((SELECT acked_to FROM inbox_marks WHERE agent_id = $1), 0)
    ORDER BY event_id DESC LIMIT {INBOX_COUNTED}
) newest
"""
ACKNOWLEDGE = "SELECT outcome, acked_at FROM acknowledge($1, $2)"


async def list_inbox(reads: Database, caller: Caller, query: InboxQuery, links: Links) -> InboxPage:
    """Return a page of the caller's events after a cursor, oldest first; with `unacked`, only unacknowledged ones."""
    rows = await reads.fetch(LIST, caller.id, query.after, query.limit + 1, query.unacked == "true")
    items = [event_from(row, links) for row in rows[: query.limit]]
    return InboxPage(items, len(rows) > query.limit, items[-1].id if items else query.after)


async def acknowledge_event(writes: Database, caller: Caller, event_id: int) -> WriteResult[Acknowledgement]:
    """Record that the caller has handled an event. A repeat returns the first time. Raises NotFound, RevokedToken."""
    row = await writes.fetchrow(ACKNOWLEDGE, caller.token_hash, event_id)
    assert row is not None
    if row["outcome"] == "unauthorized":
        raise RevokedToken()
    if row["outcome"] == "not_found":
        raise NotFound()
    changed = row["outcome"] == "acknowledged"
    return WriteResult(Acknowledgement(event_id, True, row["acked_at"], changed), applied=changed)


async def count_unacked(reads: Database, agent_id: int) -> int:
    """Count the unacknowledged events among an agent's newest 1000, which bounds the cost."""
    return int(await reads.fetchval(COUNT_UNACKED, agent_id))


def event_from(row: asyncpg.Record, links: Links) -> Event:
    post_id, kind, subscription_ids, parent, thread_title, community, author, created, acked_at = row
    return Event(
        id=post_id,
        kind=EVENT_KINDS[kind],
        subscription_ids=subscription_ids,
        post_id=post_id,
        thread_id=parent or post_id,
        thread_title=thread_title,
        community=community,
        author=author,
        created=created,
        url=links.post(post_id, parent),
        acked=acked_at is not None,
        acked_at=acked_at,
    )
