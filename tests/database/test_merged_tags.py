"""Subscriptions to one tag in several spellings become one, without a lost or doubled event (migration 15)."""

from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from services.board import deliveries
from services.board.database import revision
from services.board.database.migrations import migrate
from tests.database.former import apply_before

NFC, NFD, UPPER, INVISIBLE = "ça va", "c\u0327a va", "Ç\u200ba VA", "ça\u200b va"
# What the release before knew of tags: lower case, which is that of ASCII letters here.
FORMER = ["inbox_partition", "open_span", "close_span", "listeners", "subscribe", "set_subscription", "deliver"]
AGENT = """
INSERT INTO agents (id, name, created, activity, token_hash, token_created)
VALUES ($1, $2, now(), now(), $3, now())
"""
POST = """
WITH moved AS (UPDATE log_head SET last_id = last_id + 1, last_created = now() RETURNING last_id)
INSERT INTO posts (id, author_id, author, community, title, body, wanted_capabilities, created, activity, digest,
    request_id)
SELECT last_id, 1, 'alice', 'general', 'T', 'B', $1, now(), now(), '', gen_random_uuid() FROM moved RETURNING id
"""
DELIVER = "SELECT posts FROM deliver((SELECT array_agg(partition) FROM fanout_cursors), 100, 1000)"
HEARD = "SELECT event_id, subscription_ids FROM inbox WHERE agent_id = $1 ORDER BY 1"
KEPT = (
    "SELECT id, target, paused_at IS NOT NULL FROM subscriptions WHERE agent_id = $1 AND deleted_at IS NULL ORDER BY 1"
)


@pytest.fixture
async def former(empty_url: str, tmp_path: Path) -> AsyncIterator[asyncpg.Connection]:
    """A board of the release before the migration, with agents 1 to 7."""
    await apply_before(15, empty_url, tmp_path)
    connection = await asyncpg.connect(empty_url)
    for name in FORMER:
        await connection.execute(
            (revision.SQL / f"{name}.sql").read_text(encoding="utf-8").replace("index_fold", "lower")
        )
    for number in range(1, 8):
        await connection.execute(AGENT, number, f"agent-{number}", bytes([number]))
    await connection.execute("UPDATE log_head SET last_agent_id = 7")
    yield connection
    await connection.close()


async def subscribe(db: asyncpg.Connection, agent: int, tag: str) -> int:
    row = await db.fetchrow("SELECT outcome, id FROM subscribe($1, 'capability', $2, 100)", bytes([agent]), tag)
    assert row["outcome"] == "created", (agent, tag)
    return int(row["id"])


async def set_state(db: asyncpg.Connection, agent: int, subscription: int, state: str) -> None:
    outcome = await db.fetchval("SELECT outcome FROM set_subscription($1, $2, $3)", bytes([agent]), subscription, state)
    assert outcome == "changed"


async def heard(db: asyncpg.Connection, agent: int) -> dict[int, list[int]]:
    """Deliver all posts; return the events of an agent, each with its subscriptions."""
    while await db.fetchval(DELIVER):
        pass
    return {row[0]: row[1] for row in await db.fetch(HEARD, agent)}


async def test_subscriptions_to_one_tag_become_one_and_go_on(former: asyncpg.Connection, empty_url: str) -> None:
    db = former
    active = [await subscribe(db, 2, tag) for tag in (NFC, NFD, INVISIBLE)]
    half = [await subscribe(db, 3, tag) for tag in (NFD, NFC)]
    await set_state(db, 3, half[0], "paused")
    paused = [await subscribe(db, 4, tag) for tag in (NFD, NFC)]
    for each in paused:
        await set_state(db, 4, each, "paused")
    alone = await subscribe(db, 5, UPPER)
    ended = await subscribe(db, 6, NFD)
    await set_state(db, 6, ended, "deleted")
    other = await subscribe(db, 7, "ca va")
    # by the release before: each tag in its own spelling, and once with two of them
    first = await db.fetchval(POST, [NFC])
    both = await db.fetchval(POST, [NFC, NFD])

    await migrate(empty_url, lambda _: None)
    await deliveries.make_partitions(db)
    # it should keep the oldest one that is active, in the form of all spellings
    for agent, subscription, is_paused in (
        (2, active[0], False), (3, half[1], False), (4, paused[0], True), (5, alone, False)
    ):  # fmt: skip
        assert [tuple(row) for row in await db.fetch(KEPT, agent)] == [(subscription, NFC, is_paused)]
        again = "SELECT outcome, id FROM subscribe($1, 'capability', $2, 100)"
        for tag in (NFC, NFD, UPPER, INVISIBLE):
            assert tuple(await db.fetchrow(again, bytes([agent]), tag)) == ("exists", subscription)
    # it should deliver what was published before it, once
    assert set(await heard(db, 2)) == {first, both}
    assert set(await heard(db, 3)) == {first, both}
    # it should deliver every spelling from then on, for one subscription
    later = [await db.fetchval(POST, [tag]) for tag in (NFC, NFD, UPPER, INVISIBLE)]
    for agent, subscription in ((2, active[0]), (3, half[1]), (5, alone)):
        events = await heard(db, agent)
        assert {event: events[event] for event in later} == {event: [subscription] for event in later}
    assert await heard(db, 4) == {}
    assert await heard(db, 6) == {}
    assert await heard(db, 7) == {}
    # it should resume, pause and delete those that are left
    await set_state(db, 4, paused[0], "active")
    await set_state(db, 5, alone, "paused")
    last = await db.fetchval(POST, [NFD])
    assert await heard(db, 4) == {last: [paused[0]]}
    assert last not in await heard(db, 5)
    await set_state(db, 7, other, "deleted")
