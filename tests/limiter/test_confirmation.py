"""A post that the limiter refuses is refused only if PostgreSQL confirms it, which is asked at most once per second."""

import asyncio
import time
import uuid
from collections import Counter

import asyncpg
import pytest
from msgspec import structs

from services.api.throttle import refusal_cache
from services.api.throttle.throttle import Throttle
from services.board.errors import Limited
from services.board.posts import publish_batch
from services.contract.limits import POSTS, Rate
from tests.limiter.posting import (
    CountedReads,
    Publishing,
    a_member,
    a_post,
    allowed,
    fill,
    loosen,
    post,
    posted,
    refused_by_publish,
    tighten,
)
from tests.limiter.processes import PatientLimiter
from tests.load import Member, together
from tests.log.inside import publication
from tests.log.locks import until

HOUR = 3600


async def test_a_refusal_is_confirmed_once_and_then_cached(
    throttle: Throttle, reads: CountedReads, db: asyncpg.Connection
) -> None:
    member = await a_member(db, throttle)
    await posted(db, member, *range(1, 11))
    await fill(throttle, member)
    publish = Publishing()
    assert [await post(throttle, member, publish=publish) for _ in range(10)] == [False] * 10
    assert await together(post(throttle, member, publish=publish) for _ in range(10)) == [False] * 10
    assert (reads.count, publish.count) == (1, 0)


async def test_concurrent_posts_share_one_read(throttle: Throttle, reads: CountedReads, db: asyncpg.Connection) -> None:
    member = await a_member(db, throttle)
    await posted(db, member, *range(1, 11))
    await fill(throttle, member)
    reads.open.clear()
    running = [asyncio.ensure_future(post(throttle, member)) for _ in range(3)]

    async def two_were_refused_by_the_limiter() -> bool:
        return throttle.decided.values.get(("posts", "denied")) == 2

    await until(two_were_refused_by_the_limiter)
    # it should answer the others although the post that began the read is cancelled
    running[0].cancel()
    reads.open.set()
    first, *others = await asyncio.gather(*running, return_exceptions=True)
    assert isinstance(first, asyncio.CancelledError)
    assert others == [False, False]
    assert reads.count == 1


async def test_a_refusal_that_postgresql_does_not_confirm_passes_and_is_not_read_again_within_a_second(
    throttle: Throttle, reads: CountedReads, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refusal_cache, "CONFIRM_SECONDS", HOUR)
    member = await a_member(db, throttle)
    await posted(db, member, *range(1, 10))
    await fill(throttle, member)
    assert await together(post(throttle, member) for _ in range(20)) == [True] * 20
    assert reads.count == 1
    assert throttle.decided.values == {("posts", "denied"): 20, ("posts", "unconfirmed"): 20}
    # it should read again after a second
    monkeypatch.setattr(refusal_cache, "CONFIRM_SECONDS", 0)
    await posted(db, member, *range(1, 11))
    assert not await post(throttle, member)
    assert reads.count == 2


async def test_a_failed_read_is_not_shared_with_later_posts(
    throttle: Throttle, reads: CountedReads, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    member = await a_member(db, throttle)
    await posted(db, member, *range(1, 11))
    await fill(throttle, member)
    with monkeypatch.context() as broken:
        broken.setattr(reads, "connection", None)
        with pytest.raises(AttributeError):
            await post(throttle, member)
    assert not await post(throttle, member)


async def test_a_refusal_expires_when_postgresql_would_accept_a_post(
    throttle: Throttle, reads: CountedReads, db: asyncpg.Connection
) -> None:
    member = await a_member(db, throttle)
    await fill(throttle, member)
    free = time.time() + 1
    await posted(db, member, *range(1, 10), 59)
    assert not await post(throttle, member)
    publish = Publishing()

    async def passes() -> bool:
        return await post(throttle, member, publish=publish)

    await until(passes)
    # the two clocks may differ by a little; the publishing transaction is exact
    assert free - 0.05 <= time.time() < free + 30
    assert publish.count == 1


async def test_a_refusal_by_the_publishing_transaction_is_cached_as_well(
    throttle: Throttle, reads: CountedReads, db: asyncpg.Connection
) -> None:
    member = await a_member(db, throttle)
    await refused_by_publish(throttle, member)
    asked = throttle.decided.values[("posts", "allowed")]
    publish = Publishing()
    for _ in range(3):
        with pytest.raises(Limited) as refusal:
            await throttle.run(a_post(member), publish)
        assert 29 < refusal.value.wait < 31
        assert (refusal.value.limit, refusal.value.args) == (POSTS, Limited(POSTS, 0, 0).args)
    # it should ask neither the limiter nor PostgreSQL
    assert throttle.decided.values == {("posts", "allowed"): asked, ("posts", "held"): 3}
    assert (reads.count, publish.count) == (0, 0)


async def test_a_cached_refusal_is_not_extended_by_repeating_the_call(
    throttle: Throttle, db: asyncpg.Connection
) -> None:
    member = await a_member(db, throttle)
    await refused_by_publish(throttle, member, 1)

    async def passes() -> bool:
        return await post(throttle, member)

    began = time.monotonic()
    await until(passes)
    assert 0.9 < time.monotonic() - began < 30


async def test_a_cached_refusal_is_answered_while_the_limiter_is_away(
    throttle: Throttle, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = await a_member(db, throttle), await a_member(db, throttle)
    await refused_by_publish(throttle, alice)
    monkeypatch.setattr(throttle.limiter.breaker, "allows", lambda: False)
    assert not await post(throttle, alice)
    # it should leave the decision on every other post to the publishing transaction
    assert await post(throttle, bob)
    assert await post(throttle, alice, key="k")


async def published_with_key(db: asyncpg.Connection, member: Member, key: str) -> None:
    """Give the member a post with this Idempotency-Key."""
    keyed = structs.replace(publication(member), key=key, fingerprint=b"content")
    (outcome,) = await publish_batch(db, [keyed], True)
    assert outcome.outcome == "created"


async def test_a_key_that_has_its_post_passes_however_often(throttle: Throttle, db: asyncpg.Connection) -> None:
    member = await a_member(db, throttle)
    await published_with_key(db, member, "k")
    await posted(db, member, *range(1, 11))
    await fill(throttle, member)
    for _ in range(3):
        assert await post(throttle, member, "k", Publishing(applied=False))
        assert not await post(throttle, member, "new")
        assert not await post(throttle, member)


async def test_a_revoked_token_is_left_to_the_publishing_transaction(
    throttle: Throttle, db: asyncpg.Connection
) -> None:
    member = await a_member(db, throttle)
    await posted(db, member, *range(1, 11))
    await fill(throttle, member)
    await db.execute("UPDATE agents SET token_hash = $2 WHERE id = $1", member.id, uuid.uuid4().bytes)
    assert await post(throttle, member)


async def test_a_refusal_at_a_stricter_rate_holds_for_that_rate_only(
    throttle: Throttle, reads: CountedReads, db: asyncpg.Connection, limiter: PatientLimiter
) -> None:
    member = await a_member(db, throttle)
    await posted(db, member, *range(1, 6))
    tighten(limiter, "posts", 4)
    await fill(throttle, member, 4)
    for _ in range(3):
        with pytest.raises(Limited) as refusal:
            await throttle.run(a_post(member), Publishing())
        assert refusal.value.limit.rate == (4, 60)
    assert reads.count == 1
    loosen(limiter, "posts")
    assert await post(throttle, member)
    await fill(throttle, member)
    # five posts are too many for the stricter rate, but not for that of the settings
    assert await post(throttle, member)
    assert reads.count == 2


async def test_an_expired_refusal_at_a_stricter_rate_is_read_again_at_once(
    throttle: Throttle,
    reads: CountedReads,
    db: asyncpg.Connection,
    limiter: PatientLimiter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(refusal_cache, "CONFIRM_SECONDS", HOUR)
    member = await a_member(db, throttle)
    tighten(limiter, "posts", 4)
    await fill(throttle, member, 4)
    await posted(db, member, 1, 2, 3, 59.5)
    assert not await post(throttle, member)

    async def expired() -> bool:
        return throttle.refusals.find(member.token_hash, Rate(4, 60)) is None

    await until(expired)
    await posted(db, member, 1, 2, 3, 4)
    assert not await post(throttle, member)
    assert reads.count == 2


async def test_posts_in_flight_elsewhere_count_at_a_stricter_rate(
    throttle: Throttle,
    reads: CountedReads,
    db: asyncpg.Connection,
    limiter: PatientLimiter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(refusal_cache, "CONFIRM_SECONDS", 0.01)
    member = await a_member(db, throttle)
    tighten(limiter, "posts", 2)
    # another process has reserved two posts, and commits them after the first read
    await fill(throttle, member, 2)

    async def commit() -> None:
        await posted(reads, member, 1, 2)

    reads.after_next = commit
    assert not await post(throttle, member)
    assert reads.count == 2


async def test_no_third_post_passes_a_rate_of_two_however_many_are_sent_at_once(
    throttle: Throttle, reads: CountedReads, db: asyncpg.Connection, limiter: PatientLimiter
) -> None:
    tighten(limiter, "posts", 2)
    members = [await a_member(db, throttle) for _ in range(12)]
    committed: Counter[str] = Counter()

    async def publish(member: Member) -> bool:
        async def commit() -> object:
            committed[member.name] += 1
            await posted(reads, member, *range(1, committed[member.name] + 1))
            return await Publishing()()

        return await allowed(throttle.run(a_post(member), commit))

    results = await together(publish(member) for member in members for _ in range(4))
    assert set(committed.values()) == {2}
    assert sum(results) == 2 * len(members)
