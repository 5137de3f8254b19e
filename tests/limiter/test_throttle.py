"""Every limited call asks the limiter first, and returns what it did not use."""

import asyncio
import time
import uuid

import asyncpg
import pytest
from msgspec import structs

from services.api import limiter_client
from services.api.handlers.call import Call
from services.api.request import throttle as throttle_module
from services.api.request.throttle import Throttle, check_of
from services.board.errors import Frozen, Limited, OutcomeUnknown
from services.board.posts.publications import publish_batch
from services.contract.checks import Check
from services.contract.limits import FAILED_LOGINS, POSTS
from tests.limiter.posting import (
    READ_ME,
    CountedReads,
    Publishing,
    a_member,
    a_post,
    a_vote,
    counted,
    fill,
    post,
    tighten,
    until_released,
)
from tests.limiter.processes import PatientLimiter
from tests.load import Member, together
from tests.metrics import counts
from tests.posts.inside import publication
from tests.posts.locks import until

HOUR = 3600


async def test_reservations_of_posts_that_did_not_commit_are_released(
    throttle: Throttle, db: asyncpg.Connection, limiter: PatientLimiter
) -> None:
    member = await a_member(db)
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
    member = await a_member(db)
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


async def test_without_a_verdict_a_published_post_keeps_its_reservation_and_refused_calls_release_it(
    throttle: Throttle, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer_nothing(_: Check) -> None:
        return None

    released: list[Check] = []
    monkeypatch.setattr(throttle.limiter, "check", answer_nothing)
    monkeypatch.setattr(throttle.limiter, "release", released.append)
    member = await a_member(db)
    assert await post(throttle, member, "k", Publishing(applied=False))
    assert released == []
    with pytest.raises(ValueError):
        await throttle.run(a_vote(member), Publishing(error=ValueError()))
    assert not await post(throttle, member, None, Publishing(error=Limited(POSTS, "agent", 60.0)))
    assert [check.policy for check in released] == ["votes", "posts"]
    assert counts(throttle.decided) == {("posts", "away"): 2, ("votes", "away"): 1}


async def test_a_refusal_is_final_and_each_further_one_takes_a_moment(
    throttle: Throttle, reads: CountedReads, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = await a_member(db), await a_member(db)
    await fill(throttle, alice)
    publish = Publishing()
    with pytest.raises(Limited) as refusal:
        await throttle.run(a_post(alice), publish)
    assert 0 < refusal.value.wait <= 60
    # it should ask nothing of PostgreSQL, and delay no other agent
    monkeypatch.setattr(throttle_module, "REFUSED_SECONDS", HOUR)
    flood = [asyncio.ensure_future(post(throttle, alice, publish=publish)) for _ in range(50)]

    async def all_were_refused() -> bool:
        return counts(throttle.decided).get(("posts", "denied")) == 51

    await until(all_were_refused)
    for _ in range(3):
        assert await post(throttle, bob)
    assert not any(call.done() for call in flood)
    assert (publish.count, reads.count) == (0, 0)
    for call in flood:
        call.cancel()
    await asyncio.wait(flood)


async def test_a_write_that_a_freeze_refuses_takes_a_moment_and_costs_no_quota(
    throttle: Throttle, db: asyncpg.Connection, limiter: PatientLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttle_module, "REFUSED_SECONDS", HOUR)
    member = await a_member(db)
    calls = [a_post(member), a_vote(member)]
    publish = Publishing(error=Frozen())
    flood = [asyncio.ensure_future(throttle.run(call, publish)) for call in calls]
    await publish.begun(len(calls))
    await until_released(throttle)
    assert not any(call.done() for call in flood)
    assert counted(limiter, member) == 0
    for call in flood:
        call.cancel()
    await asyncio.wait(flood)


async def test_a_key_that_has_its_post_passes_however_often(
    throttle: Throttle, reads: CountedReads, db: asyncpg.Connection
) -> None:
    member, other = await a_member(db), await a_member(db)
    await publish_batch(db, [structs.replace(publication(member), key="k")], True)
    await fill(throttle, member)
    replay = Publishing(applied=False)
    assert await together(post(throttle, member, "k", replay) for _ in range(5)) == [True] * 5
    assert not await post(throttle, member, "another")
    # the key of another agent's post is no reason to pass
    await fill(throttle, other)
    assert not await post(throttle, other, "k")
    assert (replay.count, reads.count) == (5, 7)


async def test_after_lost_verdicts_the_publishing_transaction_decides_until_they_no_longer_count(
    throttle: Throttle, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    member = await a_member(db)
    await fill(throttle, member)
    assert not await post(throttle, member)
    client = throttle.limiter
    # no check is answered, but all may be counted
    with monkeypatch.context() as context:
        context.setattr(client, "url", "http://127.0.0.1:1")
        assert await post(throttle, member)
        assert client.may_count_lost_checks(60)

    async def answered() -> bool:
        return await client.check(Check("votes", "nobody", "a", 120, 60)) is not None

    await until(answered)
    assert await post(throttle, member)
    # no other limit is passed over
    for number in range(120):
        await client.check(Check("votes", member.name.lower(), f"never-{number}", 120, 60))
    with pytest.raises(Limited):
        await throttle.run(a_vote(member), Publishing())
    client.lost_until -= 60 + limiter_client.LATE_SECONDS
    assert not await post(throttle, member)


async def test_a_doubtful_refusal_is_not_believed_after_a_wait_for_the_change_feed(
    throttle: Throttle, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    member = await a_member(db)
    await fill(throttle, member)
    client, catch_up = throttle.limiter, throttle.feed.catch_up
    monkeypatch.setattr(client, "lost_until", time.monotonic())

    async def slow() -> object:
        client.lost_until -= 60 + limiter_client.LATE_SECONDS
        return await catch_up()

    monkeypatch.setattr(throttle.feed, "catch_up", slow)
    assert await post(throttle, member)


def guess(address: str) -> Call:
    return Call(READ_ME, uuid.uuid4().int, address=address)


async def look_up() -> str:
    return "found"


async def test_an_address_that_guesses_is_forgotten_with_its_window_and_concerns_no_other(
    throttle: Throttle, db: asyncpg.Connection
) -> None:
    await tighten(db, "failed_logins", 1, window=2)

    await throttle.feed.catch_up()
    await throttle.note_refusal(guess("192.0.2.7"), FAILED_LOGINS)
    with pytest.raises(Limited):
        await throttle.note_refusal(guess("192.0.2.7"), FAILED_LOGINS)
    assert throttle.is_guessing("192.0.2.7")
    asked = counts(throttle.decided)

    # the tokens of other addresses are looked up as before
    assert not throttle.is_guessing("192.0.2.8")
    assert await throttle.run_guess(guess("192.0.2.8"), look_up) == "found"
    with pytest.raises(Limited):
        await throttle.run_guess(guess("192.0.2.7"), look_up)

    async def forgotten() -> bool:
        return not throttle.is_guessing("192.0.2.7")

    await until(forgotten)
    assert not throttle.guessing
    assert await throttle.run_guess(guess("192.0.2.7"), look_up) == "found"
    key = ("failed_logins", "denied")
    assert counts(throttle.decided) == {**asked, key: asked[key] + 1}


async def test_a_good_token_is_not_counted_against_an_address_that_has_guessed(
    throttle: Throttle, db: asyncpg.Connection, limiter: PatientLimiter
) -> None:
    await tighten(db, "failed_logins", 1)
    await throttle.feed.catch_up()
    await throttle.note_refusal(guess("192.0.2.9"), FAILED_LOGINS)
    with pytest.raises(Limited):
        await throttle.note_refusal(guess("192.0.2.9"), FAILED_LOGINS)
    limiter.forget("192.0.2.9")
    assert await throttle.run_guess(guess("192.0.2.9"), look_up) == "found"
    await until_released(throttle)
    await throttle.note_refusal(guess("192.0.2.9"), FAILED_LOGINS)


async def test_agents_are_counted_under_their_names_and_unknown_tokens_apart(
    throttle: Throttle, db: asyncpg.Connection, limiter: PatientLimiter
) -> None:
    member = await a_member(db)
    assert await post(throttle, member)
    assert counted(limiter, member) == 1
    unknown = a_post(Member(0, "", "unknown"))
    assert check_of(unknown, POSTS).key == f"token:{unknown.holder.token_hash.hex()[:32]}"
