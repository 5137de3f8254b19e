"""One thread with a page of its replies, in a choice of orders (interface 9.5).

The place of a reply is its number among all replies of its thread, hidden ones included, in the order of their ids. It
never changes, so the offsets and cursors of pages are made of ids and places: a page misses nothing, whatever happens
between two calls. Hidden replies are listed only where visible ones answer them.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import asyncpg

from services.board.database.connections import Database
from services.board.errors import Invalid, NotFound
from services.board.links import Links
from services.board.page_bytes import bounded, cut
from services.board.rows import struct_from
from services.contract.answers.posts import Reply, ThreadRead
from services.contract.answers.problems import FieldError
from services.contract.bounds import ID_MAX, REPLIES_RANKED
from services.contract.requests.queries import RepliesQuery

from .threads import COLUMNS, FIELDS, THREAD_OF, hint_to, thread_from

LISTED = "(visible OR EXISTS (SELECT FROM posts answer WHERE answer.reply_to = posts.id AND answer.visible))"
# How many replies of a thread are hidden. All replies of a visible thread are visible but these.
HIDDEN = "(SELECT count(*) FROM posts reply WHERE reply.parent = posts.id AND reply.hidden <> 0) AS hidden_replies"
READ_THREAD = (
    f"SELECT {COLUMNS}, {HIDDEN}, 0 AS rank, 0 AS place FROM posts WHERE id = $1 AND visible AND parent IS NULL"
)
# Skips ids in the index, not posts. A thread has at most as many replies as there are ids between it and the last one.
FIRST = """
SELECT id FROM posts WHERE parent = $1 AND $2 < (SELECT max(id) FROM posts WHERE parent = $1) - $1
ORDER BY id OFFSET $2 LIMIT 1
"""


def replies_at(place: str) -> str:
    """Return the SQL of the listed replies of the thread $1; `place` orders them behind the thread, at 0."""
    return f"SELECT {COLUMNS}, 0, 0, {place} FROM posts WHERE parent = $1 AND {LISTED}"


OLD = f"{replies_at('id')} AND id >= ({FIRST}) ORDER BY id LIMIT {{limit}}"
NEW = f"{replies_at(f'{ID_MAX} - id')} AND id < $2 ORDER BY id DESC LIMIT {{limit}}"
# The replies from place $2 on are ranked together. Those that a client has seen are left out, by their rank there.
BEST = f"""
SELECT {", ".join(FIELDS)}, 0, rank, row_number() OVER (ORDER BY score DESC, id) FROM (
    SELECT {COLUMNS}, {LISTED} AS listed, row_number() OVER (ORDER BY id) AS rank FROM posts
    WHERE parent = $1 AND id >= ({FIRST}) ORDER BY id LIMIT {REPLIES_RANKED}
) ranked WHERE listed AND NOT rank = ANY($3::int[]) ORDER BY score DESC, id LIMIT {{limit}}
"""
# The thread $1 and its replies.
PAGE = f"{READ_THREAD} UNION ALL ({{replies}})"
# How many replies of the thread $1 come before the post $2; without a row, it is none of them.
PLACE = """
SELECT (SELECT count(*) FROM posts WHERE parent = $1 AND id < found.id)
FROM posts found WHERE found.id = $2 AND found.parent = $1
"""
VISIBLE_PLACE = f"{PLACE} AND found.visible"


async def read_thread(reads: Database, thread_id: int, query: RepliesQuery, links: Links) -> ThreadRead:
    """Return the thread with a page of its replies. Raises Invalid for a position of another order, NotFound."""
    refuse_other_positions(query)
    if query.around is not None:
        return await read_around(reads, thread_id, query.around, query.limit, links)
    seen = Seen.read(query.cursor)
    statement, values = {
        "old": (OLD, (query.offset,)),
        "new": (NEW, (ID_MAX + 1 if query.cursor is None else seen.number,)),
        "score": (BEST, (seen.number, seen.ranks)),
    }[query.sort]
    page = PAGE.format(replies=statement.format(limit=query.limit + 1))
    rows = await reads.fetch(bounded(page, "place"), thread_id, *values)
    read = await thread_read(reads, rows, thread_id, query.offset, links, query.limit)
    if query.sort != "old":
        read.next_offset = 0
        await set_cursor(reads, read, rows, query, seen)
    return read


async def thread_read(
    reads: Database, rows: Sequence[asyncpg.Record], thread_id: int, offset: int, links: Links, limit: int
) -> ThreadRead:
    """Return the thread of a page's rows with at most `limit` replies, from number `offset` on. Raises NotFound."""
    found = [row for row in rows if row["parent"] is None]
    if not found:
        parent = await reads.fetchval(THREAD_OF, thread_id)
        raise NotFound(hint=hint_to(parent), thread=parent)
    later = [row for row in rows if row["parent"] is not None]
    page = [struct_from(Reply, row) for row in cut(later, limit)]
    read = ThreadRead(thread_from(found[0], links), page, len(later) > len(page), offset + len(page))
    if hidden := found[0]["hidden_replies"]:
        read.hidden_replies = hidden
        read.next_offset = 1 + await reads.fetchval(PLACE, thread_id, page[-1].id) if page else offset
    return read


async def read_around(reads: Database, thread_id: int, post_id: int, limit: int, links: Links) -> ThreadRead:
    """Return the page with a post of the thread in its middle, or at its beginning if the bytes do not reach it."""
    place = 0 if post_id == thread_id else await reads.fetchval(VISIBLE_PLACE, thread_id, post_id)
    if place is None:
        raise NotFound()
    for offset in (max(0, place - limit // 2), place):
        read = await read_thread(reads, thread_id, RepliesQuery(offset=offset, limit=limit), links)
        if any(reply.id == post_id for reply in read.replies):
            break
    read.offset = offset
    return read


def refuse_other_positions(query: RepliesQuery) -> None:
    """Raise Invalid if a query has a position that belongs to another order, or two positions."""
    others = {
        "offset": query.offset and (query.sort != "old" or query.around is not None),
        "cursor": query.cursor is not None and (query.sort == "old" or query.around is not None),
        "around": query.around is not None and query.sort != "old",
    }
    detail = "The order old takes offset or around, the others take cursor."
    if errors := [FieldError(None, name, "not_allowed_value", detail) for name, wrong in others.items() if wrong]:
        raise Invalid(errors)


class Seen(NamedTuple):
    """The position of a cursor: the id before which to read on, or the place from which replies are ranked.

    `ranks` are the ranked replies that were seen: the cursor has a bit for each, in hexadecimal.
    """

    number: int
    ranks: Sequence[int] = ()

    @classmethod
    def read(cls, cursor: str | None) -> "Seen":
        number, _, bits = (cursor or "0").partition(".")
        seen = int(bits or "0", 16)
        return cls(int(number), [rank for rank in range(1, seen.bit_length() + 1) if seen >> rank - 1 & 1])

    def write(self) -> str:
        return f"{self.number}.{sum(1 << rank - 1 for rank in self.ranks):x}"


async def set_cursor(
    reads: Database, read: ThreadRead, rows: Iterable[asyncpg.Record], query: RepliesQuery, seen: Seen
) -> None:
    """Set the cursor that follows a page, and whether more follows it, which the ranks of a long thread can do."""
    if query.sort == "new":
        read.next_cursor = str(read.replies[-1].id) if read.replies else query.cursor or "0"
        return
    shown = {reply.id for reply in read.replies}
    ranks = {*seen.ranks, *(row["rank"] for row in rows if row["id"] in shown)}
    following = Seen(seen.number, sorted(ranks))
    if not read.has_more and await reads.fetchval(FIRST, read.thread.id, seen.number + REPLIES_RANKED) is not None:
        read.has_more, following = True, Seen(seen.number + REPLIES_RANKED)
    read.next_cursor = following.write()
