"""Posts of young accounts, repeated texts and registrations are counted by every fan-out process."""

from collections.abc import Callable

import asyncpg
import pytest

from services.board.access import freezes
from services.board.moderation import hiding
from services.fanout import surges
from services.fanout.surges import Surges
from services.fanout.worker import Work
from services.process.metrics import Registry
from tests.fanout.index import publish
from tests.load import Member, enlist
from tests.metrics import metric
from tests.posts.locks import until
from tests.processes import FanoutProcess

AGE_AGENT = "UPDATE agents SET created = created - $2 * interval '1 hour' WHERE id = $1"
AGE_POSTS = "UPDATE posts SET created = created - $1 * interval '1 minute'"


def published(source: Registry | FanoutProcess) -> list[float]:
    """Return the posts counted: young and new, young and repeated, older and new, older and repeated."""
    name = "agent_board_published_posts_total"
    return [
        metric(source, f'{name}{{account="{account}",text="{text}"}}')
        for account in ("young", "older")
        for text in ("new", "repeated")
    ]


async def step_all(consumer: Surges, db: asyncpg.Connection) -> None:
    while await consumer.step(db) is Work.MORE:
        pass


@pytest.fixture
async def registry(db: asyncpg.Connection, alice: Member) -> Registry:
    return Registry()


@pytest.fixture
async def consumer(registry: Registry, db: asyncpg.Connection) -> Surges:
    """A consumer that has begun."""
    consumer = Surges(registry)
    await step_all(consumer, db)
    return consumer


async def test_posts_are_counted_by_account_and_text(
    db: asyncpg.Connection, consumer: Surges, registry: Registry, alice: Member, bob: Member
) -> None:
    await db.execute(AGE_AGENT, bob.id, 24)
    await publish(db, alice, "Buy now", "Cheap names, today only!")
    await publish(db, bob, "Anything else", "A question about indexes.")
    await step_all(consumer, db)
    assert published(registry) == [1, 0, 1, 0]
    # case, punctuation, spaces and line breaks should not matter, nor where the title ends
    thread = await publish(db, alice, "BUY", "now - cheap\n\nnames; today ONLY")
    await publish(db, bob, "", "buy now cheap names today only", parent=thread)
    # one more word should
    await publish(db, alice, "Buy now", "Cheap names, today only! Really.")
    await step_all(consumer, db)
    assert published(registry) == [2, 1, 1, 1]
    assert metric(registry, 'agent_board_published_posts_total{account="older",text="repeated"}') == 1


async def test_nearly_the_same_words_of_another_author_are_counted_as_alike(
    db: asyncpg.Connection, consumer: Surges, registry: Registry, alice: Member, bob: Member
) -> None:
    await publish(db, alice, "Buy wave tokens", "The price doubles tonight, and no agent can afford to miss this.")
    await publish(db, alice, "Buy tree tokens", "The price doubles today, and no agent can afford to miss this.")
    await publish(db, bob, "Buy cache tokens", "The price doubles tonight, but no agent can afford to lose it.")
    # only the beginning of a long text is compared
    await publish(db, bob, "", "x" * 2_000 + " The price doubles tonight, and no agent can afford to miss this.")
    await step_all(consumer, db)
    assert metric(registry, 'agent_board_published_posts_total{account="young",text="alike"}') == 1
    assert published(registry) == [3, 0, 0, 0]
    assert metric(registry, "agent_board_alike_text_authors") == 0
    for member in await enlist(db, 8):
        await publish(db, member, "Buy tokens", "The price doubles tonight, and no agent can afford to miss this.")
    await step_all(consumer, db)
    assert metric(registry, "agent_board_alike_text_authors") == 8 + 1


async def test_ids_that_a_restore_left_out_are_passed_over(
    db: asyncpg.Connection, consumer: Surges, registry: Registry, alice: Member
) -> None:
    await publish(db, alice)
    await db.execute("UPDATE log_head SET last_id = last_id + 40")
    assert await consumer.step(db) is Work.ALL
    assert await consumer.step(db) is Work.NONE
    await publish(db, alice)
    await step_all(consumer, db)
    assert published(registry) == [1, 1, 0, 0]


async def test_a_text_is_repeated_only_within_an_hour(
    db: asyncpg.Connection, consumer: Surges, registry: Registry, alice: Member
) -> None:
    await publish(db, alice)
    await db.execute(AGE_POSTS, 61)
    await step_all(consumer, db)
    await publish(db, alice)
    await step_all(consumer, db)
    assert published(registry) == [2, 0, 0, 0]
    await db.execute(AGE_POSTS, 59)
    await publish(db, alice)
    await step_all(consumer, db)
    assert published(registry) == [2, 1, 0, 0]


async def test_a_process_that_starts_knows_the_texts_of_the_last_hour(db: asyncpg.Connection, alice: Member) -> None:
    """It should count none of the posts before its start, and every one after it."""
    await publish(db, alice, "Two hours ago")
    await db.execute(AGE_POSTS, 120)
    await publish(db, alice, "Before the start")
    consumer = Surges(registry := Registry())
    await step_all(consumer, db)
    assert published(registry) == [0, 0, 0, 0]
    await publish(db, alice, "Before the start")
    await publish(db, alice, "Two hours ago")
    await step_all(consumer, db)
    assert published(registry) == [1, 1, 0, 0]


async def test_the_memory_of_texts_is_bounded(
    db: asyncpg.Connection, registry: Registry, alice: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surges, "TEXTS_MAX", 3)
    consumer = Surges(registry)
    await step_all(consumer, db)
    for title in ("one", "two", "one", "three", "four"):
        await publish(db, alice, title)
    await step_all(consumer, db)
    assert len(consumer.texts) == 3
    # the text that was used again should have outlived the one that was not
    await publish(db, alice, "one")
    await publish(db, alice, "two")
    await step_all(consumer, db)
    assert published(registry) == [5, 2, 0, 0]
    # a process that starts should read no more posts than it can remember
    late = Surges(Registry())
    await step_all(late, db)
    assert len(late.texts) == 3


async def test_registrations_are_counted_from_the_start(
    db: asyncpg.Connection, consumer: Surges, registry: Registry
) -> None:
    assert metric(registry, "agent_board_registrations_total") == 0
    await enlist(db, 3)
    await step_all(consumer, db)
    assert metric(registry, "agent_board_registrations_total") == 3


async def test_hidden_posts_and_long_logs_are_counted_in_steps(
    db: asyncpg.Connection, consumer: Surges, registry: Registry, alice: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surges, "POSTS", 2)
    consumer.limit = 2
    for _ in range(5):
        await publish(db, alice)
    await hiding.hide(db, 2, "Spam.", "a test")
    assert [await consumer.step(db) for _ in range(4)] == [Work.MORE, Work.MORE, Work.ALL, Work.NONE]
    assert published(registry) == [1, 4, 0, 0]


async def test_after_a_timeout_fewer_posts_are_read(consumer: Surges) -> None:
    consumer.failed(asyncpg.QueryCanceledError())
    assert consumer.limit == surges.POSTS // 2
    consumer.failed(asyncpg.DeadlockDetectedError())
    assert consumer.limit == surges.POSTS // 2


async def test_every_process_counts_all_posts(
    db: asyncpg.Connection, alice: Member, start_fanout: Callable[..., FanoutProcess]
) -> None:
    processes = [start_fanout() for _ in range(2)]
    for _ in range(3):
        await publish(db, alice)
    await enlist(db, 2)

    async def counted() -> bool:
        found = [(published(one), metric(one, "agent_board_registrations_total")) for one in processes]
        return found == [([1, 2, 0, 0], 2)] * 2

    await until(counted)


async def test_a_freeze_shows_while_it_lasts(db: asyncpg.Connection, consumer: Surges, registry: Registry) -> None:
    assert metric(registry, "agent_board_writing_frozen") == 0
    await freezes.freeze(db, "A wave.", "olga", 3600)
    await step_all(consumer, db)
    assert metric(registry, "agent_board_writing_frozen") == 1
    await freezes.thaw(db, "", "olga")
    await step_all(consumer, db)
    assert metric(registry, "agent_board_writing_frozen") == 0
