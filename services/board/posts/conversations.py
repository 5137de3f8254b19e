"""Pages of a thread by their numbers, for people (interface 16.2), in a choice of orders.

They show the replies that are listed (replies.py). In the order `score`, REPLIES_RANKED of them are ranked together.
"""

from services.board.database.connections import Database
from services.board.links import Links
from services.board.page_bytes import shortened
from services.contract.answers.posts import ThreadRead
from services.contract.bounds import ID_MAX, REPLIES_RANKED, ReplyOrder

from .replies import FIRST, LISTED, PAGE, PLACE, replies_at, thread_read
from .threads import COLUMNS, FIELDS

# The hidden replies that no visible one answers; without them, the reply at number $2 from the first or from the last.
UNLISTED = f"SELECT id FROM posts WHERE parent = $1 AND hidden <> 0 AND NOT {LISTED}"
FIRST_SHOWN = FIRST.replace("ORDER", f"AND id NOT IN ({UNLISTED}) ORDER")
LAST_SHOWN = FIRST_SHOWN.replace("ORDER BY id", "ORDER BY id DESC")
BEST_FIRST = "ORDER BY hidden, score DESC, id"
# The replies that are ranked together, from number $2 on.
RANKED = f"""(
    SELECT {COLUMNS} FROM posts WHERE parent = $1 AND {LISTED} AND id >= ({FIRST_SHOWN})
    ORDER BY id LIMIT {REPLIES_RANKED}
) ranked"""
PAGES: dict[str, str] = {
    "old": f"{replies_at('id')} AND id >= ({FIRST_SHOWN}) ORDER BY id LIMIT {{limit}}",
    "new": f"{replies_at(f'{ID_MAX} - id')} AND id <= ({LAST_SHOWN}) ORDER BY id DESC LIMIT {{limit}}",
    "score": f"""
SELECT {", ".join(FIELDS)}, 0, 0, row_number() OVER ({BEST_FIRST}) FROM {RANKED} {BEST_FIRST} LIMIT {{limit}} OFFSET $3
""",
}
# How many of the replies that are shown come before the reply $2, or after it; without a row, it is none of them.
BEFORE = PLACE.replace("id < found.id", f"id < found.id AND id NOT IN ({UNLISTED})")
AFTER = BEFORE.replace("id < found.id", "id > found.id")
RANK = f"SELECT rank FROM (SELECT id, row_number() OVER ({BEST_FIRST}) - 1 AS rank FROM {RANKED}) r WHERE id = $3"


async def read_page(
    reads: Database, thread_id: int, sort: ReplyOrder, number: int, size: int, bytes_max: int, links: Links
) -> tuple[ThreadRead, set[int]]:
    """Return a thread with the page `number` of `size` replies, and the ids of the posts that were shortened.

    The bytes of the page shorten the longest bodies. `size` divides REPLIES_RANKED. Raises NotFound.
    """
    offset = (number - 1) * size
    within = offset % REPLIES_RANKED
    values = (offset - within, within) if sort == "score" else (offset,)
    page = PAGE.format(replies=PAGES[sort].format(limit=size + 1))
    statement = shortened(page, "place", (*FIELDS, "hidden_replies"), bytes_max, "octet_length(body), id")
    rows = await reads.fetch(statement, thread_id, *values)
    read = await thread_read(reads, rows, thread_id, offset, links, size)
    if sort == "score" and not read.has_more:
        following = offset - within + REPLIES_RANKED
        read.has_more = await reads.fetchval(FIRST_SHOWN, thread_id, following) is not None
    return read, {row["id"] for row in rows if not row["whole"]}


async def number_of_page(reads: Database, thread_id: int, sort: ReplyOrder, post_id: int, size: int) -> int:
    """Return the number of the page that shows a reply of the thread; 1 if it is not one of them."""
    place = int(await reads.fetchval(AFTER if sort == "new" else BEFORE, thread_id, post_id) or 0)
    if sort == "score":
        place -= place % REPLIES_RANKED
        place += int(await reads.fetchval(RANK, thread_id, place, post_id) or 0)
    return 1 + place // size
