"""Ended data is deleted after its retention, in bounded steps; data that a delivery needs is not."""

import uuid
from collections.abc import Callable
from typing import Any

import asyncpg
import pytest
from msgspec import structs

from services.board.access.tokens import hash_token, new_token
from services.board.database.backends import Unconfirmed
from services.board.inbox import deliveries, inbox, retention
from services.board.moderation import verification
from services.board.posts.publications import publish_batch
from services.board.verifiable_log.verifying import verify_log
from services.fanout.upkeep import Retention
from services.fanout.worker import Work
from services.process.metrics import Registry
from services.process.settings import Settings
from tests.fanout import oracle
from tests.fanout.test_inboxes import SET, follow, post
from tests.load import Member
from tests.metrics import metric
from tests.operations.hand import deliver_all
from tests.posts.conftest import connect
from tests.posts.inside import publication
from tests.posts.locks import until
from tests.processes import FanoutProcess

DAYS = 400
AGE_POSTS = "UPDATE posts SET created = created - interval '401 days'"
# A receipt covers the time of its post.
SIGN_AGAIN = """
UPDATE posts
SET digest = receipt_digest(id, author, created, parent, reply_to, community, title, body, '[]', confidence)
"""
AGE_TOKENS = "UPDATE retired_tokens SET retired_at = retired_at - $1 * interval '1 day'"
AGE_DELETIONS = "UPDATE subscriptions SET deleted_at = deleted_at - interval '401 days'"
KEPT = "SELECT (SELECT count(*) FROM {}), (SELECT count(*) FROM {}), (SELECT count(*) FROM {})".format(
    "retired_tokens", "subscription_spans", "subscriptions"
)


@pytest.fixture(autouse=True)
async def room(db: asyncpg.Connection) -> None:
    """An inbox with the partitions that the fan-out creates when it starts."""
    await deliveries.make_partitions(db)


async def prune(db: asyncpg.Connection) -> int:
    return await retention.prune(db)


async def kept(db: asyncpg.Connection) -> tuple[Any, ...]:
    return tuple(await db.fetchrow(KEPT) or ())


async def rotate(db: asyncpg.Connection, member: Member) -> None:
    await db.execute("SELECT rotate($1, $2, NULL, 0)", member.token_hash, hash_token(new_token()))


@pytest.mark.parametrize(("days", "left"), [(399, 1), (401, 0)])
async def test_a_replaced_token_is_kept_for_its_time(
    db: asyncpg.Connection, alice: Member, days: int, left: int
) -> None:
    await rotate(db, alice)
    await db.execute(AGE_TOKENS, days)
    assert await prune(db) == 1 - left
    assert await kept(db) == (left, 0, 0)


async def test_an_interval_is_kept_until_its_posts_are_old_and_delivered(
    db: asyncpg.Connection, alice: Member, bob: Member
) -> None:
    subscription = await follow(db, bob)
    await post(db, alice)
    for state in ("paused", "active"):
        assert await db.fetchval(SET, bob.token_hash, subscription, state) == "changed"
    await post(db, alice)
    # it should be kept while its posts are new, and then while one of them is not delivered yet
    assert (await prune(db), await kept(db)) == (0, (0, 2, 1))
    await db.execute(AGE_POSTS)
    assert (await prune(db), await kept(db)) == (0, (0, 2, 1))
    await deliver_all(db)
    await oracle.check(db)
    # it should leave the interval that is still open
    assert (await prune(db), await kept(db)) == (1, (0, 1, 1))
    await post(db, alice)
    await deliver_all(db)
    assert await db.fetchval("SELECT count(*) FROM inbox") == 3


async def test_a_deleted_subscription_goes_after_its_intervals(
    db: asyncpg.Connection, alice: Member, bob: Member
) -> None:
    subscription = await follow(db, bob)
    await post(db, alice)
    await db.fetchval(SET, bob.token_hash, subscription, "deleted")
    await db.execute(AGE_DELETIONS)
    await deliver_all(db)
    # it should stay with an interval that a redelivery could still need
    assert (await prune(db), await kept(db)) == (0, (0, 1, 1))
    assert await db.fetchval(SET, bob.token_hash, subscription, "deleted") == "unchanged"
    await db.execute(AGE_POSTS)
    assert (await prune(db), await kept(db)) == (2, (0, 0, 0))
    assert await db.fetchval(SET, bob.token_hash, subscription, "deleted") == "not_found"


async def test_a_key_is_kept_for_good(db: asyncpg.Connection, alice: Member) -> None:
    keyed = structs.replace(publication(alice), key="k")
    await publish_batch(db, [keyed], True)
    await deliver_all(db)
    await db.execute(AGE_POSTS)
    await db.execute(SIGN_AGAIN)
    await prune(db)
    await retention.drop_acknowledged(db, DAYS)
    repeat = structs.replace(keyed, request_id=uuid.uuid4())
    assert [(each.outcome, each.post_id) for each in await publish_batch(db, [repeat], True)] == [("replayed", 1)]


async def parted(db: asyncpg.Connection, alice: Member, bob: Member) -> None:
    """Three posts by alice in bob's inbox, the first two in the oldest partition."""
    await db.execute("DROP TABLE inbox_0")
    for begins, ends in ((0, 3), (3, 100_000)):
        await db.execute(f"CREATE TABLE inbox_{begins} PARTITION OF inbox FOR VALUES FROM ({begins}) TO ({ends})")
    await follow(db, bob)
    for _ in range(3):
        await post(db, alice)
    await deliver_all(db)


async def left(db: asyncpg.Connection) -> list[int]:
    return [row[0] for row in await db.fetch("SELECT event_id FROM inbox ORDER BY event_id")]


async def acknowledge(db: asyncpg.Connection, member: Member, *events: int) -> None:
    await db.execute("SELECT acknowledge_events($1, NULL, $2, 100, 100)", member.token_hash, list(events))


async def test_events_are_dropped_when_all_are_acknowledged_and_old(
    db: asyncpg.Connection, alice: Member, bob: Member
) -> None:
    await parted(db, alice, bob)
    await acknowledge(db, bob, 1, 2, 3)
    assert await retention.drop_acknowledged(db, DAYS) == 0
    await db.execute(AGE_POSTS)
    # the newest partition still gets events
    assert [await retention.drop_acknowledged(db, DAYS) for _ in range(2)] == [2, 0]
    assert await left(db) == [3]
    # nothing should expect them any more: neither a redelivery nor the verification
    for position in await deliveries.find_positions(db):
        assert await deliveries.redeliver(db, position, 1, 3, "olga") == 0
    assert [sentence for sentence in (await verification.verify(db, verify_log)).wrong if "events" in sentence] == []
    assert await db.fetchval(inbox.COUNT_UNACKED, bob.id) == 0
    await post(db, alice)
    await deliver_all(db)
    assert await left(db) == [3, 4]


@pytest.mark.parametrize("events", [(1,), (2, 3)])
async def test_an_event_that_waits_keeps_its_partition(
    db: asyncpg.Connection, alice: Member, bob: Member, events: tuple[int, ...]
) -> None:
    await parted(db, alice, bob)
    await acknowledge(db, bob, *events)
    await db.execute(AGE_POSTS)
    assert await retention.drop_acknowledged(db, DAYS) == 0
    assert await left(db) == [1, 2, 3]


async def test_a_partition_that_an_inbox_has_not_passed_stays(
    db: asyncpg.Connection, alice: Member, bob: Member
) -> None:
    await parted(db, alice, bob)
    await acknowledge(db, bob, 1, 2, 3)
    await db.execute(AGE_POSTS)
    await db.execute("UPDATE fanout_cursors SET last_id = 1 WHERE partition = 7")
    assert await retention.drop_acknowledged(db, DAYS) == 0


async def test_a_reader_is_not_waited_for(db: asyncpg.Connection, database: str, alice: Member, bob: Member) -> None:
    await parted(db, alice, bob)
    await acknowledge(db, bob, 1, 2)
    await db.execute(AGE_POSTS)
    reader = await connect(database)
    async with reader.transaction():
        await reader.fetch("SELECT * FROM inbox")
        assert await retention.drop_acknowledged(db, DAYS) is None
    await reader.close()
    assert await retention.drop_acknowledged(db, DAYS) == 2


async def test_the_fan_out_keeps_events_unless_it_is_told_to_drop_them(
    start_fanout: Callable[..., FanoutProcess], db: asyncpg.Connection, database: str, alice: Member, bob: Member
) -> None:
    await parted(db, alice, bob)
    await acknowledge(db, bob, 1, 2)
    await db.execute(AGE_POSTS)
    unset = Settings(database_url=database)  # type: ignore[arg-type]
    assert await Retention(unset, Registry()).drop_events(db) == 0
    assert await left(db) == [1, 2, 3]
    fanout = start_fanout(RETAIN_ACKNOWLEDGED_DAYS="30")

    async def dropped() -> bool:
        return await left(db) == [3] and metric(fanout, "agent_board_inbox_events_dropped_total") > 0

    await until(dropped)
    assert metric(fanout, "agent_board_inbox_events_dropped_total") == 2


async def test_a_drop_that_failed_is_tried_again_after_a_minute(
    db: asyncpg.Connection, database: str, alice: Member, bob: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    await parted(db, alice, bob)
    await acknowledge(db, bob, 1, 2)
    await db.execute(AGE_POSTS)
    settings = Settings(database_url=database, retain_acknowledged_days=30)  # type: ignore[arg-type]
    keeping = Retention(settings, Registry())
    keeping.failed(Unconfirmed())
    assert keeping.looked is None
    keeping.failed(TimeoutError())
    assert await keeping.step(db) is Work.NONE
    monkeypatch.setattr(Retention, "seconds", 0.0)
    assert await keeping.step(db) is Work.ALL
    assert await left(db) == [3]


async def test_a_step_deletes_a_bounded_number_of_rows(db: asyncpg.Connection, alice: Member) -> None:
    many = "SELECT int8send(n), $1, now() - interval '401 days' FROM generate_series(1, 2500) n"
    await db.execute(f"INSERT INTO retired_tokens {many}", alice.id)
    assert [await prune(db) for _ in range(4)] == [1000, 1000, 500, 0]
