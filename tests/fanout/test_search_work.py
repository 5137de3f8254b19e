"""A step of the search index does not do more work because there are more open requests.

Its plans are made once, possibly while the table is empty and PostgreSQL knows that.
"""

import asyncpg

from tests.database.plans import pages_read
from tests.fanout import index
from tests.load import Member

KNOWN_TO_BE_EMPTY = "VACUUM ANALYZE open_requests"
MANY = "INSERT INTO open_requests (capability, thread_id) SELECT 'tag-' || n, n FROM generate_series(1, 30000) n"
REQUESTS = "SELECT index_requests(ARRAY[{}])"


async def test_the_requests_of_a_thread_are_found_by_key_with_plans_made_on_an_empty_board(
    db: asyncpg.Connection, alice: Member, bob: Member
) -> None:
    await db.execute(KNOWN_TO_BE_EMPTY)
    thread = await index.publish(db, alice, wanted=["sql"])
    planned = await pages_read(db, REQUESTS.format(thread))
    await db.execute(MANY)
    assert await pages_read(db, REQUESTS.format(thread)) < planned + 50
    await index.publish(db, bob, parent=thread)
    assert await pages_read(db, REQUESTS.format(thread)) < planned + 50
    # one of the many
    assert await db.fetchval("SELECT count(*) FROM open_requests WHERE thread_id = $1", thread) == 1
