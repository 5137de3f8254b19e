"""An acknowledgement of many events looks up these events, however many others are in the inbox."""

import asyncpg

from tests.database.plans import pages_read
from tests.load import enlist

EVENTS = 20_000
# Most inboxes are short, so a plan expects this one to be short, too.
INBOXES = """
SELECT make_inbox_partitions();
INSERT INTO inbox (agent_id, event_id, kind, subscription_ids)
SELECT unnest(ARRAY[{reader}, {reader} + n]), n, 2, '{{1}}' FROM generate_series(1, {events}) n;
ANALYZE inbox
"""
ACKNOWLEDGE = "SELECT * FROM acknowledge('\\x{token}', NULL, ARRAY[{ids}], 100, 100)"
PAGES = 120  # to find, lock and change two events, the agent and its mark


async def test_acknowledging_some_events_of_a_long_inbox_does_not_read_all_of_it(own_db: asyncpg.Connection) -> None:
    (reader,) = await enlist(own_db, 1)
    await own_db.execute(INBOXES.format(reader=reader.id, events=EVENTS))
    token = reader.token_hash.hex()
    await pages_read(own_db, ACKNOWLEDGE.format(token=token, ids="1, 2"))  # reads the catalogue, too
    assert await pages_read(own_db, ACKNOWLEDGE.format(token=token, ids=f"5, {EVENTS}")) < PAGES
    acknowledged = await own_db.fetch("SELECT event_id FROM inbox WHERE acked_at IS NOT NULL ORDER BY 1")
    assert [row["event_id"] for row in acknowledged] == [1, 2, 5, EVENTS]
