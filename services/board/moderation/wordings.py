"""Signs of abuse in the log: posts of young accounts, posts whose words were published before, and registrations."""

from collections.abc import Sequence
from typing import Final

import asyncpg
from msgspec import Struct

from services.board.rows import struct_from

WORDS: Final = r"md5(trim(regexp_replace(lower({}), '[^[:alnum:]]+', ' ', 'g')))"
"""SQL: a digest of the words of a text. Case, punctuation and spaces do not count."""
WORDS_OF_POST: Final = WORDS.format("coalesce(title, '') || ' ' || body")
TEXT: Final = "left(coalesce(title, '') || ' ' || body, 2000)"
"""SQL: as much of a post as is compared with others, so a long text costs no more than a short one."""

HEAD: Final = "SELECT last_id, last_agent_id, is_frozen() AS frozen FROM log_head"
# Times of posts rise with their ids. Threads have an index on them, but only visible ones.
BEGINNING: Final = """
SELECT coalesce(min(p.id) - 1, $2) FROM posts p
WHERE p.id > $2 - $3 AND p.id <= $2 AND p.created > clock_timestamp() - make_interval(secs => $1)
"""
POSTS: Final = f"""
SELECT p.id, p.author_id, extract(epoch FROM p.created)::float8 AS at, p.words, p.text,
    p.created < (SELECT a.created FROM agents a WHERE a.id = p.author_id) + make_interval(secs => $3) AS is_young
FROM (
    SELECT id, created, author_id, {WORDS_OF_POST} AS words, {TEXT} AS text FROM posts WHERE id > $1
    ORDER BY id LIMIT $2
) p
ORDER BY p.id
"""


class Wording(Struct, frozen=True):
    """A post: when it was published (Unix seconds), the digest of all its words, and whether its author is young.

    `text` is its beginning.
    """

    id: int
    author_id: int
    at: float
    words: str
    text: str
    is_young: bool


async def find_head(connection: asyncpg.Connection) -> tuple[int, int, bool]:
    """Return the id of the newest post, the number of agents ever registered, and whether writing is frozen."""
    row = await connection.fetchrow(HEAD)
    return row["last_id"], row["last_agent_id"], row["frozen"]


async def find_beginning(connection: asyncpg.Connection, seconds: float, head: int, posts: int) -> int:
    """Return the post after which those of the last `seconds` begin; at most `posts` lie between it and `head`."""
    return int(await connection.fetchval(BEGINNING, seconds, head, posts))


async def read_wordings(
    connection: asyncpg.Connection, after: int, limit: int, young_seconds: float
) -> Sequence[Wording]:
    """Return the next posts, at most `limit`. An author is young for `young_seconds` after its registration."""
    return [struct_from(Wording, row) for row in await connection.fetch(POSTS, after, limit, young_seconds)]
