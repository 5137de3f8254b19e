"""Every limited call asks the limiter first, and returns what it did not use."""

import asyncio
import uuid

import asyncpg
import msgspec
import pytest

from services.api.throttle import post_slots
from services.api.throttle import throttle as throttle_module
from services.api.throttle.throttle import Throttle
from services.board.errors import Limited, OutcomeUnknown, Unavailable
from services.board.results import Usage, WriteResult
from services.board.tokens import Caller
from services.contract.checks import Check
from services.contract.limits import POSTS
from tests.limiter.posting import (
    Publishing,
    a_member,
    a_post,
    a_vote,
    counted,
    post,
    posted,
    refused_by_publish,
    tighten,
    until_released,
)
from tests.limiter.processes import PatientLimiter
from tests.load import Member
from tests.log.locks import until

HOUR = 3600


class Gate:
    """Sits between a throttle and its limiter. While it is shut, no check is answered."""

    def __init__(self, throttle: Throttle, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open = asyncio.Event()
        self.requests: list[list[str]] = []
        post = throttle.limiter.post

        async def wait(path: str, body: bytes, seconds: float) -> bytes:
            self.requests.append([check["key"] for check in msgspec.json.decode(body)])
            await self.open.wait()
            return await post(path, body, seconds)

        monkeypatch.setattr(throttle.limiter, "post", wait)

    async def asked(self, count: int) -> None:
        """Return when this many requests have been sent."""

        async def reached() -> bool:
            return len(self.requests) >= count

        await until(reached)


async def test_every_post_waits_for_the_limiter(
    throttle: Throttle, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    member = await a_member(db, throttle)
    gate = Gate(throttle, monkeypatch)
    for number, key in enumerate((None, None, "k"), 1):
        gate.open.clear()
        publish = Publishing()
        running = asyncio.ensure_future(post(throttle, member, key, publish))
        await gate.asked(number)
        assert publish.count == 0
        gate.open.set()
        assert await running
        assert publish.count == 1


async def test_the_posts_that_arrive_while_a_batch_is_committed_are_checked_in_one_request(
    throttle: Throttle, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = [await a_member(db, throttle) for _ in range(10)]
    gate = Gate(throttle, monkeypatch)
    gate.open.set()
    publish = Publishing()
    publish.open.clear()
    committing = [asyncio.ensure_future(post(throttle, member, publish=publish)) for member in members[:3]]
    await publish.begun(3)
    waiting = [asyncio.ensure_future(post(throttle, member, publish=publish)) for member in members[3:]]
    await publish.begun(10)
    assert [len(request) for request in gate.requests] == [3, 7]
    publish.open.set()
    assert await asyncio.gather(*committing, *waiting) == [True] * 10


async def test_a_call_that_the_limiter_refuses_is_not_made(
    throttle: Throttle, db: asyncpg.Connection, limiter: PatientLimiter
) -> None:
    member = await a_member(db, throttle)
    tighten(limiter, "votes", 1)
    cast = Publishing()
    await throttle.run(a_vote(member), cast)
    for _ in range(3):
        with pytest.raises(Limited) as refusal:
            await throttle.run(a_vote(member), cast)
        assert 0 < refusal.value.wait <= 60
    assert cast.count == 1


async def test_reservations_of_posts_that_did_not_commit_are_released(
    throttle: Throttle, db: asyncpg.Connection, limiter: PatientLimiter
) -> None:
    member = await a_member(db, throttle)
    for _ in range(12):
        with pytest.raises(ValueError):
            await throttle.run(a_post(member), Publishing(error=ValueError()))
        assert await post(throttle, member, "k", Publishing(applied=False))
    # it should keep the reservation of a post that may have been committed
    with pytest.raises(OutcomeUnknown):
        await throttle.run(a_post(member), Publishing(error=OutcomeUnknown()))
    await until_released(throttle)
    assert counted(limiter, member) == 1


async def test_the_repeat_of_a_running_call_neither_counts_nor_releases_what_the_first_uses(
    throttle: Throttle, db: asyncpg.Connection, limiter: PatientLimiter
) -> None:
    member = await a_member(db, throttle)
    first, repeat = Publishing(), Publishing(applied=False)
    first.open.clear()
    running = asyncio.ensure_future(post(throttle, member, "k", first))
    await first.begun(1)
    assert await post(throttle, member, "k", repeat)
    await until_released(throttle)
    assert counted(limiter, member) == 1
    first.open.set()
    assert await running
    await until_released(throttle)
    assert counted(limiter, member) == 1


async def test_without_a_verdict_a_post_keeps_its_reservation_and_other_calls_release_it(
    throttle: Throttle, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer_nothing(_: Check) -> None:
        return None

    released: list[Check] = []
    monkeypatch.setattr(throttle.limiter, "check", answer_nothing)
    monkeypatch.setattr(throttle.limiter, "release", released.append)
    member = await a_member(db, throttle)
    assert await post(throttle, member, "k", Publishing(applied=False))
    assert released == []
    with pytest.raises(ValueError):
        await throttle.run(a_vote(member), Publishing(error=ValueError()))
    assert [check.policy for check in released] == ["votes"]
    assert throttle.decided.values == {("posts", "away"): 1, ("votes", "away"): 1}


async def test_the_quota_left_is_from_postgresql_for_posts_and_from_the_limiter_otherwise(
    throttle: Throttle, db: asyncpg.Connection, limiter: PatientLimiter
) -> None:
    member = await a_member(db, throttle)

    async def publish() -> WriteResult[None]:
        return WriteResult(None, usage=Usage(POSTS, 3, 60.0))

    async def vote() -> WriteResult[None]:
        return WriteResult(None)

    assert (await throttle.run(a_post(member), publish)).usage == Usage(POSTS, 3, 60.0)
    assert (await throttle.run(a_vote(member), vote)).usage.left == 119
    # it should come from the limiter if its rate is stricter than PostgreSQL's
    tighten(limiter, "posts", 4)
    usage = (await throttle.run(a_post(member), publish)).usage
    assert (usage.limit.rate, usage.left) == ((4, 60), 2)


async def test_at_most_two_posts_of_an_agent_are_in_flight(throttle: Throttle, db: asyncpg.Connection) -> None:
    alice, bob = await a_member(db, throttle), await a_member(db, throttle)
    publish = Publishing()
    publish.open.clear()
    running = [asyncio.ensure_future(post(throttle, alice, publish=publish)) for _ in range(8)]
    await publish.begun(2)
    assert throttle.slots.waiting == 6
    # it should delay no other agent
    assert await post(throttle, bob)
    assert publish.count == 2
    publish.open.set()
    assert await asyncio.gather(*running) == [True] * 8


async def test_an_agent_that_goes_on_after_a_refusal_delays_only_itself(
    throttle: Throttle, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttle_module, "REFUSED_SECONDS", HOUR)
    alice, bob = await a_member(db, throttle), await a_member(db, throttle)
    await refused_by_publish(throttle, alice)
    flood = [asyncio.ensure_future(post(throttle, alice, key)) for key in (None, "k", None, None)]

    async def two_wait_for_a_slot() -> bool:
        return throttle.slots.waiting == 2

    await until(two_wait_for_a_slot)
    for _ in range(3):
        assert await post(throttle, bob)
    assert not any(call.done() for call in flood)
    for call in flood:
        call.cancel()
    await asyncio.wait(flood)
    assert (throttle.slots.lines, throttle.slots.waiting) == ({}, 0)


async def test_a_post_that_waits_too_long_for_a_slot_gets_the_cached_refusal_if_there_is_one(
    throttle: Throttle, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(post_slots, "PATIENCE_SECONDS", 0.01)
    alice, bob = await a_member(db, throttle), await a_member(db, throttle)
    await refused_by_publish(throttle, alice)
    for member, error in ((alice, Limited), (bob, Unavailable)):
        for _ in range(2):
            await throttle.slots.take(member.token_hash, None)
        publish = Publishing()
        with pytest.raises(error):
            await throttle.run(a_post(member), publish)
        assert publish.count == 0


async def test_holders_are_remembered_within_bounds(throttle: Throttle) -> None:
    throttle.holders.size = 100
    hashes = [uuid.uuid4().bytes for _ in range(250)]
    for number, token_hash in enumerate(hashes):
        throttle.learn(Caller(number, f"Agent {number}", token_hash))
    assert [throttle.knows(token_hash) for token_hash in hashes] == [False] * 150 + [True] * 100
    assert throttle.holder_of(hashes[-1]) == Caller(249, "Agent 249", hashes[-1])


async def test_agents_are_counted_under_their_names_and_unknown_tokens_apart(
    throttle: Throttle, db: asyncpg.Connection, limiter: PatientLimiter
) -> None:
    member = await a_member(db, throttle)
    await posted(db, member)
    assert await post(throttle, member)
    assert counted(limiter, member) == 1
    unknown = a_post(Member(0, "", "unknown"))
    assert throttle.check_of(unknown, POSTS).key == f"token:{unknown.caller.token_hash.hex()[:32]}"
