"""An inbox is a function of the log and the spans, regardless of the fan-out's steps."""

import asyncio
import itertools
import random
from collections.abc import Callable, Coroutine

import asyncpg
import pytest

from services.board.database.connections import writing_connection
from services.board.inbox import deliveries
from tests.fanout import oracle
from tests.fanout.crowd import Crowd
from tests.load import Member, enlist
from tests.operations.hand import deliver_all
from tests.operator import play
from tests.posts.locks import until

Connect = Callable[[], Coroutine[None, None, asyncpg.Connection]]
SUBSCRIBE = "SELECT outcome, id FROM subscribe($1, $2, $3, 100)"
SET = "SELECT outcome FROM set_subscription($1, $2, $3)"
ACKNOWLEDGE = "SELECT acked FROM acknowledge($1, NULL, ARRAY[$2::bigint], 1, 0)"
ROTATE = "SELECT outcome FROM rotate($1, $2, NULL, 3600)"
WAITING = """
SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
    AND query LIKE $1 AND pid <> pg_backend_pid())
"""
# entries of the span index that this session has read; only their difference is meaningful
LOOKED_AT = "SELECT pg_stat_get_xact_tuples_returned('subscription_spans_topic'::regclass)"
EVENTS = "SELECT agent_id, event_id FROM inbox ORDER BY 1, 2"


@pytest.fixture(autouse=True)
async def room(db: asyncpg.Connection) -> None:
    """An inbox with the partitions that the fan-out creates when it starts."""
    await deliveries.make_partitions(db)


async def follow(db: asyncpg.Connection, member: Member, kind: str = "community", target: str = "general") -> int:
    outcome, subscription = await db.fetchrow(SUBSCRIBE, member.token_hash, kind, target)
    assert outcome == "created"
    return int(subscription)


async def post(db: asyncpg.Connection, member: Member, **fields: object) -> int:
    return await play.published(db, play.Post(member.token_hash, **fields))  # type: ignore[arg-type]


async def events(db: asyncpg.Connection) -> list[tuple[int, int]]:
    return [tuple(row) for row in await db.fetch(EVENTS)]


async def test_a_step_says_what_it_did(db: asyncpg.Connection, alice: Member) -> None:
    for follower in await enlist(db, 3):
        await follow(db, follower)
    for _ in range(3):
        await post(db, alice)
    await post(db, alice, community="meta")
    first = await deliveries.deliver(db, [0], posts=2)
    assert first is not None
    assert (first.last_id, first.posts, first.events, first.more, first.sizes) == (2, 2, 6, True, [3, 3])
    assert all(0 <= age < 60 for age in first.ages or ())
    second = await deliveries.deliver(db, [0], posts=3)
    assert second is not None
    assert (second.last_id, second.posts, second.events, second.more, second.sizes) == (4, 2, 3, False, [3])
    # it should find nothing more to do
    assert await deliveries.deliver(db, [0]) == deliveries.Step([0], 4, 0, 0, False, None, None)
    await oracle.check(db)


async def test_a_step_looks_at_no_more_listeners_than_it_may(db: asyncpg.Connection, alice: Member) -> None:
    for follower in await enlist(db, 14):
        await follow(db, follower)
    for _ in range(60):
        await post(db, alice)
    async with db.transaction():
        before = await db.fetchval(LOOKED_AT)
        step = await deliveries.deliver(db, [0], listeners=50)
        assert step is not None
        assert (step.posts, step.events, step.more) == (3, 49, True)
        # it should have stopped looking there, because any number of posts could follow
        assert 49 < await db.fetchval(LOOKED_AT) - before < 200
    await deliver_all(db)
    await oracle.check(db)


async def test_spans_closed_long_ago_are_not_looked_at(db: asyncpg.Connection, alice: Member, bob: Member) -> None:
    subscription = await follow(db, bob)
    for _ in range(40):
        await post(db, alice)
        await db.fetchval(SET, bob.token_hash, subscription, "paused")
        await db.fetchval(SET, bob.token_hash, subscription, "active")
    await deliver_all(db)
    await post(db, alice)
    async with db.transaction():
        before = await db.fetchval(LOOKED_AT)
        await deliveries.deliver(db, [0])
        assert 0 < await db.fetchval(LOOKED_AT) - before < 10
    await oracle.check(db)


async def test_what_is_published_before_a_pause_is_delivered_after_it_and_the_other_way_round(
    db: asyncpg.Connection, alice: Member, bob: Member
) -> None:
    subscription = await follow(db, bob)
    heard = [await post(db, alice)]
    for state in ("paused", "active", "paused", "active", "deleted"):
        assert await db.fetchval(SET, bob.token_hash, subscription, state) == "changed"
        number = await post(db, alice)
        heard += [number] if state == "active" else []
    await follow(db, bob)
    heard.append(await post(db, alice))
    # it should make no difference that all of this is over by now
    await deliver_all(db)
    assert await events(db) == [(bob.id, number) for number in heard]
    await oracle.check(db)


async def test_a_gap_in_the_log_is_no_work_and_stops_nothing(
    db: asyncpg.Connection, alice: Member, bob: Member
) -> None:
    await follow(db, bob)
    await post(db, alice)
    await db.execute("UPDATE log_head SET last_id = 5000000000")
    await deliver_all(db)
    assert {p.age for p in await deliveries.find_positions(db)} == {None}
    assert await post(db, alice) == 5000000001
    await deliver_all(db)
    await oracle.check(db)
    assert await events(db) == [(bob.id, 1), (bob.id, 5000000001)]
    # it should have taken one partition of the table, not thousands
    assert await db.fetchval("SELECT count(*) FROM inbox_bounds()") <= 3


async def test_room_is_made_before_it_is_needed(db: asyncpg.Connection, alice: Member) -> None:
    assert await deliveries.make_partitions(db) == 0
    for head in (40_000, 90_000, 160_000, 1_000_000):
        await db.execute("UPDATE log_head SET last_id = $1", head)
        await deliveries.make_partitions(db)
        bounds = await db.fetch("SELECT begins, ends FROM inbox_bounds() ORDER BY begins")
        assert bounds[-1]["ends"] > head + 50_000
        # it should leave no gap
        assert bounds[0]["begins"] == 0
        assert all(one["ends"] == next_one["begins"] for one, next_one in itertools.pairwise(bounds))
    assert await db.fetchval(
        "SELECT bool_and('fillfactor=90' = ANY(reloptions)) FROM pg_class, inbox_bounds() WHERE oid = name"
    )


async def test_room_is_made_without_locking_readers_out(
    db: asyncpg.Connection, other_db: asyncpg.Connection, alice: Member
) -> None:
    await db.execute("UPDATE log_head SET last_id = 1000000")
    async with other_db.transaction():
        await other_db.fetch("SELECT * FROM inbox")  # holds its lock until the end
        assert await deliveries.make_partitions(db) > 0
    # only one process at a time should do it, and none should wait for it
    await db.execute("UPDATE log_head SET last_id = 9000000")
    async with other_db.transaction():
        assert await deliveries.make_partitions(other_db) > 0
        assert await deliveries.make_partitions(db) == 0


async def test_the_database_user_of_the_fanout_needs_not_own_the_inbox(db: asyncpg.Connection, database: str) -> None:
    await db.execute(
        "CREATE ROLE modest LOGIN PASSWORD 'modest'; GRANT ALL ON ALL TABLES IN SCHEMA public TO modest;"
        "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO modest;"
        "UPDATE log_head SET last_id = 1000000"
    )
    address = database.replace(database.split("//")[1].split("@")[0], "modest:modest")
    connection = await writing_connection(address)
    try:
        assert await deliveries.make_partitions(connection) > 0
        await connection.fetch(
            "SELECT d.events FROM generate_series(0, 15) n, deliver(ARRAY[n]::smallint[], 10, 1000) d"
        )
    finally:
        await connection.close()
        await db.execute("DROP OWNED BY modest; DROP ROLE modest")


async def waits(db: asyncpg.Connection, what: str) -> None:
    """Return when a call of this function waits for a lock."""

    async def is_waiting() -> bool:
        await db.execute("SELECT pg_stat_clear_snapshot()")  # in a transaction, every later look would repeat the first
        return bool(await db.fetchval(WAITING, f"%{what}(%"))

    await until(is_waiting)


async def test_acknowledging_waits_for_a_redelivery_and_is_counted_right_after_it(
    db: asyncpg.Connection, other_db: asyncpg.Connection, connect: Connect, alice: Member, bob: Member
) -> None:
    publishing = await connect()
    await follow(db, bob)
    for _ in range(3):
        await post(db, alice)
    await deliver_all(db)
    await db.execute("DELETE FROM inbox WHERE event_id = 1")
    async with db.transaction():
        assert await db.fetchval("SELECT redeliver(0::smallint, 1, 3, 100, 'olga')") == 1
        acknowledged = asyncio.create_task(other_db.fetchval(ACKNOWLEDGE, bob.token_hash, 2))
        await waits(db, "acknowledge")
        # it should hold up no post of its agent
        async with asyncio.timeout(60):
            await post(publishing, bob)
    assert await acknowledged == 1
    assert await db.fetchval("SELECT coalesce(max(acked_to), 0) FROM inbox_marks") < 1
    await publishing.close()


@pytest.mark.parametrize(
    "call",
    [
        ("acknowledge", "SELECT outcome FROM acknowledge($1, NULL, '{1}', 1, 1)"),
        ("subscribe", "SELECT outcome FROM subscribe($1, 'announcements', '', 100)"),
        ("set_subscription", "SELECT outcome FROM set_subscription($1, 1, 'deleted')"),
    ],
)
async def test_nothing_commits_for_a_token_after_its_rotation(
    db: asyncpg.Connection, other_db: asyncpg.Connection, alice: Member, bob: Member, call: tuple[str, str]
) -> None:
    assert await follow(db, bob) == 1
    await post(db, alice)
    await deliver_all(db)
    name, statement = call
    # it should wait for the rotation, and be refused if the rotation commits
    async with db.transaction():
        await db.fetch(ROTATE, bob.token_hash, b"new")
        refused = asyncio.create_task(other_db.fetchval(statement, bob.token_hash))
        await waits(db, name)
    assert await refused == "unauthorized"
    # it should be complete before a rotation that starts later
    async with db.transaction():
        assert await db.fetchval(statement, b"new") != "unauthorized"
        rotated = asyncio.create_task(other_db.fetchval(ROTATE, b"new", b"newer"))
        await waits(db, "rotate")
    assert await rotated == "rotated"


async def test_any_steps_by_anybody_in_any_order_make_the_same_inboxes(
    db: asyncpg.Connection, connect: Connect
) -> None:
    chance = random.Random(7)
    stopping = asyncio.Event()

    async def step_at_random() -> None:
        connection = await connect()
        while not stopping.is_set():
            posts, listeners = chance.choice([1, 2, 7, 500]), chance.choice([11, 13, 50, 10_000])
            partitions = chance.sample(range(16), chance.choice([1, 2, 4, 16]))
            await deliveries.deliver(connection, partitions, posts, listeners)
        await connection.close()

    steps = [asyncio.create_task(step_at_random()) for _ in range(4)]
    async with Crowd(connect, db, size=150, seed=7) as crowd:
        await crowd.posts(600)
    stopping.set()
    await asyncio.gather(*steps)
    await deliver_all(db)
    inboxes = await oracle.check(db)
    assert len(inboxes) > 500
