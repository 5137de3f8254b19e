"""The inbox: the events delivered to an agent, in the order of the log, and their acknowledgements (interface 11.3).

Reading changes nothing: a reader keeps its own cursor, and an acknowledgement only records a time.
"""

from collections.abc import Sequence
from typing import get_args

import asyncpg
from msgspec import UNSET

from services.board.access.tokens import WORKING, Caller
from services.board.database.connections import Database
from services.board.database.failures import is_unavailable
from services.board.errors import Frozen, NotFound, OutcomeUnknown, RevokedToken, refuse
from services.board.links import Links
from services.board.posts import published
from services.board.results import WriteResult
from services.board.rows import Row, rows_of_holders, struct_from
from services.contract.answers.inbox import Acknowledgement, Event, InboxAcked, InboxPage
from services.contract.bounds import INBOX_COUNTED, EventKind
from services.contract.requests.bodies import InboxAck
from services.contract.requests.queries import InboxQuery

# the values of inbox.kind start at 1
EVENT_KINDS = dict(enumerate(get_args(EventKind), 1))

EVENT_FIELDS = (
    "event_id", "kind", "subscription_ids", "parent", "thread_title", "community", "author", "created", "acked_at"
)  # fmt: skip
# The subselects hide the number of callers from the planner, which would otherwise plan every call again.
LISTS = f"""
SELECT page.*, reader FROM unnest(
    (SELECT $1::bigint[]), (SELECT $2::float8[]), (SELECT $3::bigint[]), (SELECT $4::int[]), (SELECT $5::boolean[])
) WITH ORDINALITY AS asked (agent, issued, after, wanted, unacked, reader)
{WORKING} LEFT JOIN LATERAL read_inbox(agent, after, wanted, unacked) page ON true
ORDER BY reader, event_id
"""
# The events of an agent after its mark, up to which all are acknowledged.
AFTER_MARK = """
FROM inbox WHERE agent_id = $1 AND event_id > coalesce((SELECT acked_to FROM inbox_marks WHERE agent_id = $1), 0)
"""
HAS_UNACKED = f"EXISTS (SELECT {AFTER_MARK} AND acked_at IS NULL)"
# Among the newest events, which bounds the cost.
COUNT_UNACKED = f"""
SELECT count(*) FILTER (WHERE acked_at IS NULL) FROM (
    SELECT acked_at {AFTER_MARK} ORDER BY event_id DESC LIMIT {INBOX_COUNTED}
) newest
"""
ACKNOWLEDGE = "SELECT outcome, acked, already, known, acked_at FROM acknowledge($1, $2, $3, $4, $5)"
# How many events one statement acknowledges, so that it is far from the limit on its time.
ACKS_PER_STEP = 5000


async def read_inboxes(
    reads: Database, asked: Sequence[tuple[Caller, InboxQuery]]
) -> list[list[asyncpg.Record] | None]:
    """Return the rows of a page for each caller and query: one more than the page holds if there are more.

    None for a caller whose token does not work.
    """
    values = [
        (caller.id, caller.issued, query.after, query.limit + 1, query.unacked == "true") for caller, query in asked
    ]
    return rows_of_holders(await reads.fetch(LISTS, *zip(*values, strict=True)), len(asked), "event_id")


def inbox_page(rows: Sequence[Row], query: InboxQuery, links: Links) -> InboxPage:
    """Return the page of a reader's rows: its events after a cursor, oldest first, without their posts."""
    items = [event_from(row, links) for row in rows[: query.limit]]
    return InboxPage(items, len(rows) > query.limit, items[-1].id if items else query.after)


async def list_inbox(reads: Database, rows: Sequence[asyncpg.Record], query: InboxQuery, links: Links) -> InboxPage:
    """Return the page of a reader's rows; the query may add their posts."""
    page = inbox_page(rows, query, links)
    if query.include == "post":
        await add_posts(reads, page, links)
    return page


async def add_posts(reads: Database, page: InboxPage, links: Links) -> None:
    """Set the post of each event, None if it is hidden. The page ends before the first post without room."""
    posts, following = await published.find_posts(reads, [event.post_id for event in page.items], links)
    if following is not None:
        page.items = [event for event in page.items if event.post_id < following]
        page.has_more, page.next_after = True, page.items[-1].id
    by_id = {post.id: post for post in posts}
    for event in page.items:
        event.post = by_id.get(event.post_id)


async def acknowledge_event(writes: Database, caller: Caller, event_id: int) -> WriteResult[Acknowledgement]:
    """Record that the caller has handled an event. A repeat returns the first time.

    Raises NotFound, RevokedToken, Frozen.
    """
    row = await acknowledge_step(writes, (caller.token_hash, None, [event_id], 1, 0))
    if not row["known"]:
        raise NotFound()
    changed = row["acked"] == 1
    return WriteResult(Acknowledgement(event_id, True, row["acked_at"], changed), applied=changed)


async def acknowledge_events(writes: Database, caller: Caller, chosen: InboxAck) -> WriteResult[InboxAcked]:
    """Record that the caller has handled all events up to an id, or those with some ids.

    Many events are committed in steps. `already` counts only among the newest 1000 events up to an id. Raises
    RevokedToken, Frozen, and OutcomeUnknown if a later step fails.
    """
    ids = None if chosen.ids is UNSET else list(dict.fromkeys(chosen.ids))
    values = (caller.token_hash, None if ids else chosen.up_to, ids, ACKS_PER_STEP, INBOX_COUNTED)
    first = await acknowledge_step(writes, values)
    acked = last = first["acked"]
    while last == ACKS_PER_STEP:
        last = (await later_step(writes, values))["acked"]
        acked += last
    known = set(first["known"])
    unknown = [event_id for event_id in ids or () if event_id not in known]
    return WriteResult(InboxAcked(acked, first["already"], unknown), applied=acked > 0)


async def acknowledge_step(writes: Database, values: Sequence[object]) -> asyncpg.Record:
    row = await writes.fetchrow(ACKNOWLEDGE, *values)
    assert row is not None
    refuse(row["outcome"])
    return row


async def later_step(writes: Database, values: Sequence[object]) -> asyncpg.Record:
    """Take a step after another one, whose changes stay. Raises OutcomeUnknown if it fails."""
    try:
        return await acknowledge_step(writes, values)
    except Exception as error:
        if isinstance(error, RevokedToken | Frozen) or is_unavailable(error):
            raise OutcomeUnknown() from error
        raise


def event_from(row: Row, links: Links) -> Event:
    post_id, parent = row["event_id"], row["parent"]
    return struct_from(
        Event,
        row,
        id=post_id,
        kind=EVENT_KINDS[row["kind"]],
        post_id=post_id,
        thread_id=parent or post_id,
        url=links.post(post_id, parent),
        acked=row["acked_at"] is not None,
        post=UNSET,
    )
