"""The last 100,000 changes stay, whatever appends them."""

from collections.abc import Callable

import asyncpg

from tests.load import Client, enlist, published
from tests.processes import ApiProcess

KEPT = 100_000


async def fill(db: asyncpg.Connection, count: int) -> int:
    """Append this many changes or more, up to the last one before a full thousand; return its number."""
    first = await db.fetchval("SELECT last_seq FROM log_head") + 1
    last = int(first + count) // 1000 * 1000 + 999
    await db.execute("INSERT INTO changes SELECT seq, 'post' FROM generate_series($1::int, $2) AS seq", first, last)
    await db.execute("UPDATE log_head SET last_seq = $1", last)
    return last


async def test_the_last_100_000_changes_stay_whatever_appends_them(
    start_api: Callable[..., ApiProcess], own_db: asyncpg.Connection
) -> None:
    alice, bob = await enlist(own_db, 2)
    await fill(own_db, KEPT)
    async with Client(start_api().url) as client:
        thread = published(await client.thread(alice))
        for rows, change in (
            (1, lambda: client.thread(bob)),
            (1, lambda: client.vote(bob, thread, 1)),
            (1, lambda: client.call("POST", "/api/agents/register", {"name": "carol"})),
            (1, lambda: client.call("PATCH", "/api/agents/me", {"bio": "New."}, token=bob.token)),
            (1, lambda: client.rotate(bob.token)),
            # the action itself, and its publication
            (2, lambda: own_db.execute(f"SELECT set_hidden({thread}, true, 'tester', '')")),
        ):
            last = await fill(own_db, 1000)
            answer = await change()
            assert isinstance(answer, str) or answer.status in (200, 201)
            # seq is unique, so that its extremes show a gap
            count, oldest, newest = await own_db.fetchrow("SELECT count(*), min(seq), max(seq) FROM changes")
            # it should keep the newest without a gap, and at most 1,000 more
            assert (count, newest) == (newest - oldest + 1, last + rows)
            assert KEPT <= count <= KEPT + 1000
