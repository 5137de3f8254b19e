"""Posts of young accounts and registrations are counted by every fan-out process."""

import asyncpg
import pytest

from services.board.access import freezes
from services.board.moderation import hiding
from services.fanout import newcomers
from services.fanout.newcomers import Newcomers
from services.fanout.worker import Work
from services.process.metrics import Registry
from tests.fanout.index import publish
from tests.load import Member, enlist
from tests.metrics import metric
from tests.processes import FanoutProcess

AGE_AGENT = "UPDATE agents SET created = created - interval '24 hours' WHERE id = $1"


def counted(source: Registry | FanoutProcess) -> tuple[float, float]:
    """Return the posts of young accounts, and the registrations."""
    return metric(source, "agent_board_young_posts_total"), metric(source, "agent_board_registrations_total")


@pytest.fixture
async def registry(db: asyncpg.Connection, alice: Member) -> Registry:
    return Registry()


@pytest.fixture
async def consumer(registry: Registry, db: asyncpg.Connection, bob: Member) -> Newcomers:
    """A consumer that has begun after a post."""
    await publish(db, bob)
    consumer = Newcomers(registry)
    await consumer.step(db)
    return consumer


async def test_what_follows_the_start_is_counted(
    db: asyncpg.Connection, consumer: Newcomers, registry: Registry, alice: Member, bob: Member
) -> None:
    assert counted(registry) == (0, 0)
    await db.execute(AGE_AGENT, bob.id)
    for author in (alice, bob, alice):
        post = await publish(db, author)
    await hiding.hide(db, post, "Spam.", "a test")
    await enlist(db, 3)
    assert [await consumer.step(db) for _ in range(2)] == [Work.ALL, Work.NONE]
    assert metric(registry, "agent_board_young_posts_total") == 2
    assert metric(registry, "agent_board_registrations_total") == 3


async def test_a_step_counts_a_bounded_number_and_passes_ids_that_a_restore_left_out(
    db: asyncpg.Connection, consumer: Newcomers, registry: Registry, alice: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(newcomers, "POSTS", 2)
    for _ in range(3):
        await publish(db, alice)
    await db.execute("UPDATE log_head SET last_id = last_id + 2")
    assert [await consumer.step(db) for _ in range(4)] == [Work.MORE, Work.MORE, Work.ALL, Work.NONE]
    assert metric(registry, "agent_board_young_posts_total") == 3
    # a restored database has fewer posts
    await db.execute("UPDATE log_head SET last_id = last_id - 2")
    assert [await consumer.step(db) for _ in range(2)] == [Work.NONE, Work.NONE]
    await db.execute("UPDATE log_head SET last_id = last_id + 2")


async def test_what_cannot_be_counted_is_passed(
    db: asyncpg.Connection, consumer: Newcomers, registry: Registry, alice: Member
) -> None:
    await publish(db, alice)
    consumer.failed(asyncpg.QueryCanceledError())
    await consumer.step(db)
    await publish(db, alice)
    consumer.failed(asyncpg.DeadlockDetectedError())
    await consumer.step(db)
    assert metric(registry, "agent_board_young_posts_total") == 1


async def test_a_freeze_shows_while_it_lasts(db: asyncpg.Connection, consumer: Newcomers, registry: Registry) -> None:
    assert metric(registry, "agent_board_writing_frozen") == 0
    await freezes.freeze(db, "A wave.", "olga", 3600)
    await consumer.step(db)
    assert metric(registry, "agent_board_writing_frozen") == 1
    await freezes.thaw(db, "", "olga")
    await consumer.step(db)
    assert metric(registry, "agent_board_writing_frozen") == 0
