"""A board that continues from a backup or an exported file: no id names two posts, and erased words stay erased."""

from collections.abc import Sequence
from typing import Final

import asyncpg
import msgspec
from msgspec import Struct

from services.board.database.connections import Database, direct_connection
from services.board.database.revision import check_not_later
from services.board.errors import Unavailable

LOST_IDS_MAX: Final = 1_000_000
"""How many ids to skip if it is unknown which were given to posts after the backup."""
FIND_POINT: Final = """
SELECT b.identity::text, h.last_id AS newest, h.last_action_id AS actions,
    ARRAY(SELECT subject::bigint FROM audit WHERE action = 'erase post' ORDER BY 1) AS posts,
    ARRAY(SELECT encode(erased_digest, 'hex') FROM agents WHERE erased_digest IS NOT NULL ORDER BY 1) AS agents
FROM board_identity b, log_head h
"""
# `agent-board verify` accepts the absence of the ids in the audit.
LEAVE_OUT: Final = """
WITH former AS (SELECT last_id FROM log_head FOR UPDATE),
head AS (
    UPDATE log_head h SET last_id = $1 FROM former
    RETURNING former.last_id + 1 AS first, h.last_id AS last
)
INSERT INTO audit (at, who, action, subject, reason)
SELECT clock_timestamp(), $2, 'leave ids out', first || ' ' || last,
    'These ids were or may have been given to posts that are not in the backup.' FROM head
"""
COUNT_ACTIONS: Final = "UPDATE log_head SET last_action_id = greatest(last_action_id, $1)"
BY: Final = "$2, 'Erased before the restore.', 'other'"
ERASE_POSTS: Final = f"SELECT erase_post(id, {BY}) FROM unnest($1::bigint[]) AS id"
ERASE_AGENTS: Final = f"""
SELECT erase_agent(name, {BY}) FROM agents
WHERE erased_digest IS NULL AND encode(erased_digest(name), 'hex') = ANY ($1::text[])
"""
RENAME_POSTS: Final = """
SELECT rename_posts(a.id, ARRAY(SELECT p.id FROM posts p WHERE p.author_id = a.id AND p.author <> a.name))
FROM agents a WHERE a.erased_at IS NOT NULL
"""


class Point(Struct, frozen=True):
    """The newest id and the erasures of the board with an identity, without any words, which a restore must not lose.

    `newest` is None if it is not known. `posts` are ids, `agents` digests of names, and `actions` is the number of the
    newest public action.
    """

    identity: str
    newest: int | None = None
    actions: int = 0
    posts: list[int] = []
    agents: list[str] = []


async def find_point(database: Database) -> Point:
    """Return what a restore must not lose of a board."""
    row = await database.fetchrow(FIND_POINT)
    assert row is not None
    return msgspec.convert(dict(row), Point)


async def continue_restored(connection: asyncpg.Connection, who: str, before: Sequence[Point]) -> int:
    """Let a restored board continue after all ids that may have been given out, and erase what was erased before.

    `before` is what boards had before the restore, if that is known. Otherwise LOST_IDS_MAX ids are left out. Returns
    the last id that the next post does not get.
    """
    async with connection.transaction():
        restored = await find_point(connection)
        known = next((each for each in before if each.identity == restored.identity), Point(restored.identity))
        last = last_given(restored.newest or 0, known.newest)
        if last > (restored.newest or 0):
            await connection.execute(LEAVE_OUT, last, who)
        await erase_again(connection, who, known)
    await connection.execute("ANALYZE")
    return last


def last_given(restored: int, newest: int | None) -> int:
    """Return the last id that may have been given out."""
    return newest if newest is not None and newest >= restored else restored + LOST_IDS_MAX


async def erase_again(connection: asyncpg.Connection, who: str, known: Point) -> None:
    """Erase the posts and agents that were erased before; erased ones stay as they are."""
    await connection.execute(COUNT_ACTIONS, known.actions)
    await connection.execute(ERASE_POSTS, known.posts, who)
    await connection.execute(ERASE_AGENTS, known.agents, who)
    await connection.execute(RENAME_POSTS)


async def leave_ids_out(url: str) -> int:
    """Ensure that no id of an imported board names two posts; return the last id that is left out.

    Raises Unavailable if the database holds no board, or one of a later release.
    """
    async with direct_connection(url) as connection:
        await check_not_later(connection)
        try:
            return await continue_restored(connection, "agent-board import", [])
        except asyncpg.UndefinedTableError:
            raise Unavailable("The file does not contain a board; nothing was changed.") from None
