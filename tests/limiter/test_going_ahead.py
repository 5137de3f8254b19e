"""A post is published while the limiter is asked, wherever the judge goes by the rate in force; nowhere else."""

import asyncio
import time
import uuid
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from services.api import telling, throttle
from services.api.board import Call
from services.api.throttle import Throttle
from services.board.changes import Change, Usage
from services.board.contract.checks import Check
from services.board.contract.limits import POSTS
from services.board.contract.operations import OPERATIONS
from services.board.errors import Limited, OutcomeUnknown
from services.board.tokens import Caller
from tests.limiter.posting import (
    CREATE_THREAD,
    Counted,
    a_member,
    counted,
    fill,
    never,
    post,
    posted,
    under_way,
    until_all_given_back,
)
from tests.limiter.processes import PatientApi, PatientLimiter
from tests.limiter.test_limits import tighten
from tests.load import Member
from tests.log.locks import until
from tests.web import Agent

HOUR = 3600
CAST_VOTE = next(operation for operation in OPERATIONS if operation.name == "cast_vote")


class Gate:
    """Stands between a throttle and its limiter: while it is shut, what is asked has no answer."""

    def __init__(self, held: Throttle, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open = asyncio.Event()
        self.asked = 0
        exchange = held.limiter.exchange

        async def wait(*asked: Any) -> bytes:
            self.asked += 1
            await self.open.wait()
            return await exchange(*asked)

        monkeypatch.setattr(held.limiter, "exchange", wait)


@pytest.fixture
def ahead(held: Throttle, monkeypatch: pytest.MonkeyPatch) -> Throttle:
    """A throttle that goes for an hour by what the limiter last said."""
    monkeypatch.setattr(throttle, "LEASE_SECONDS", HOUR)
    return held


async def goes_ahead(held: Throttle, member: Member, gate: Gate, key: str | None = None) -> bool:
    """Whether a post is answered before the limiter has answered; the gate is open in the end."""
    gate.open.clear()
    before, asked = under_way[member.name], gate.asked
    running = asyncio.ensure_future(post(held, member, key))

    async def is_asked() -> bool:
        return gate.asked > asked

    await until(is_asked)
    await asyncio.sleep(0.01)
    went = running.done()
    assert went is (under_way[member.name] > before)
    gate.open.set()
    assert await running
    return went


async def counts(limiter: PatientLimiter, member: Member, count: int) -> None:
    """Return when so many posts of the member count: that is seen a little after the answer."""

    async def reached() -> bool:
        return counted(limiter, member) == count

    await until(reached)


async def test_the_first_post_waits_for_the_limiter_and_the_next_goes_ahead(
    ahead: Throttle, db: asyncpg.Connection, limiter: PatientLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = await a_member(db, ahead), await a_member(db, ahead)
    gate = Gate(ahead, monkeypatch)
    assert [await goes_ahead(ahead, member, gate) for member in (alice, bob, alice)] == [False, True, True]
    # it should be counted all the same
    await counts(limiter, alice, 2)
    await counts(limiter, bob, 1)


async def test_what_the_limiter_said_holds_for_a_while_from_when_it_was_asked(
    ahead: Throttle, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    member = await a_member(db, ahead)
    gate = Gate(ahead, monkeypatch)
    before = time.monotonic()
    running = asyncio.ensure_future(post(ahead, member))
    await asyncio.sleep(0)
    asked = time.monotonic()
    await asyncio.sleep(0.05)
    gate.open.set()
    assert await running
    assert before + HOUR <= ahead.judged_until <= asked + HOUR
    # it should not be forgotten for what was asked before
    until_when = ahead.judged_until
    ahead.learn_rate(before - 1, await ahead.limiter.check(Check("posts", "bob", "id")))
    assert ahead.judged_until == until_when
    monkeypatch.setattr(ahead, "judged_until", time.monotonic())
    assert not await goes_ahead(ahead, member, gate)


async def test_under_another_rate_than_the_judges_nothing_goes_ahead(
    ahead: Throttle, db: asyncpg.Connection, limiter: PatientLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = await a_member(db, ahead), await a_member(db, ahead)
    gate = Gate(ahead, monkeypatch)

    async def is_known() -> bool:
        return ahead.tightened

    for quota, window in ((4, 60), (10, 61)):
        gate.open.set()
        assert await post(ahead, alice)
        wanted = {"who": "a test", "quota": quota, "window": window}
        assert limiter.operate("PUT", "/policies/posts", wanted)[0] == 200
        # it should know from the next answer on
        assert await post(ahead, alice)
        await until(is_known)
        assert not await goes_ahead(ahead, bob, gate)
        assert limiter.operate("DELETE", "/policies/posts?who=a+test")[0] == 200
        assert limiter.operate("DELETE", f"/windows/agent/{alice.name}")[0] == 200


def a_post(member: Member, key: str | None = None) -> Call:
    """A call that posts."""
    return Call(CREATE_THREAD, uuid.uuid4().int, caller=Caller(0, "", member.token_hash), key=key)


async def until_noted(held: Throttle, verdicts: dict[str, int]) -> None:
    """Return when these are the verdicts on posts."""

    async def noted() -> bool:
        return held.decided.values == {("posts", verdict): count for verdict, count in verdicts.items()}

    await until(noted)


async def refused_by_the_judge(held: Throttle, member: Member, key: str | None = None) -> int:
    """Have the judge refuse a post for 30 s: how often it was asked."""
    asked = 0

    async def refuse() -> Change[None]:
        nonlocal asked
        asked += 1
        raise Limited(POSTS, member.id, 30)

    with pytest.raises(Limited):
        await held.run(a_post(member, key), refuse)
    return asked


async def test_a_refusal_that_is_known_needs_neither_the_limiter_nor_the_judge(
    ahead: Throttle, db: asyncpg.Connection, log: Counted, limiter: PatientLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = await a_member(db, ahead), await a_member(db, ahead)
    assert await post(ahead, bob)
    assert await refused_by_the_judge(ahead, alice) == 1
    await until_noted(ahead, {"allowed": 2})
    await until_all_given_back(ahead)
    gate = Gate(ahead, monkeypatch)
    assert [await refused_by_the_judge(ahead, alice) for _ in range(20)] == [0] * 20
    assert (gate.asked, log.asked) == (0, 0)
    await until_noted(ahead, {"allowed": 2, "held": 20})
    # it should wait for the limiter with a key, for that may have its post
    assert not await goes_ahead(ahead, alice, gate, key="k")
    # it should go ahead again when its time has come
    assert await goes_ahead(ahead, bob, gate)
    ahead.holds.put(
        Call(CREATE_THREAD, 1, caller=Caller(0, "", alice.token_hash)), alice.id, POSTS.rate, time.monotonic(), 0
    )
    assert await goes_ahead(ahead, alice, gate)


async def test_who_goes_on_after_a_refusal_keeps_its_turns_and_nobody_elses(
    ahead: Throttle, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttle, "REFUSED_SECONDS", HOUR)
    alice, bob = await a_member(db, ahead), await a_member(db, ahead)
    assert await refused_by_the_judge(ahead, alice) == 1
    flood = [asyncio.ensure_future(post(ahead, alice, key)) for key in (None, "k", None, None)]

    async def all_wait() -> bool:
        return ahead.turns.waiting == 2

    await until(all_wait)
    for _ in range(3):
        assert await post(ahead, bob)
    assert not any(call.done() for call in flood)
    for call in flood:
        call.cancel()
    await asyncio.wait(flood)


async def test_other_calls_than_posts_wait_for_the_limiter(
    ahead: Throttle, db: asyncpg.Connection, limiter: PatientLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice = await a_member(db, ahead)
    assert await post(ahead, alice)
    tighten(limiter, "votes", 1)
    votes = 0

    async def cast() -> Change[None]:
        nonlocal votes
        votes += 1
        return Change(None, True)

    caller = Caller(alice.id, alice.name, alice.token_hash)
    await ahead.run(Call(CAST_VOTE, uuid.uuid4().int, caller=caller), cast)
    for _ in range(3):
        with pytest.raises(Limited):
            await ahead.run(Call(CAST_VOTE, uuid.uuid4().int, caller=caller), cast)
    assert votes == 1
    # it should say nothing of the rate of posts
    assert await goes_ahead(ahead, alice, Gate(ahead, monkeypatch))


async def test_what_was_not_used_after_going_ahead_is_given_back(
    ahead: Throttle, db: asyncpg.Connection, limiter: PatientLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = await a_member(db, ahead), await a_member(db, ahead)
    assert await post(ahead, bob)
    gate = Gate(ahead, monkeypatch)

    async def fail() -> Change[None]:
        raise ValueError

    async def lose() -> Change[None]:
        raise OutcomeUnknown

    told = 1
    # it should not matter whether the limiter answers before or after
    for opens in (False, True):
        gate.open.clear()
        for key in (None, "k"):
            assert await post(ahead, alice, key, applied=False)
            with pytest.raises(ValueError):
                await ahead.run(a_post(alice), fail)
        # it should not be given back before it counts
        assert ahead.limiter.releasing is None
        slow = asyncio.Event()
        ending = asyncio.ensure_future(post(ahead, alice, applied=False, until=slow))
        if opens:
            gate.open.set()
            await counts(limiter, alice, 1)
        slow.set()
        assert await ending
        gate.open.set()
        told += 5
        await until_noted(ahead, {"allowed": told})
        await until_all_given_back(ahead)
        assert counted(limiter, alice) == 0
    # what may have been used is kept
    with pytest.raises(OutcomeUnknown):
        await ahead.run(a_post(alice), lose)
    await until_noted(ahead, {"allowed": told + 1})
    await until_all_given_back(ahead)
    assert counted(limiter, alice) == 1


async def test_without_a_verdict_a_post_keeps_its_count_and_other_calls_give_it_back(
    held: Throttle, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def say_nothing(_: Check) -> None:
        return None

    async def fail() -> Change[None]:
        raise ValueError

    released: list[Check] = []
    monkeypatch.setattr(held.limiter, "check", say_nothing)
    monkeypatch.setattr(held.limiter, "release", released.append)
    alice = await a_member(db, held)
    assert await post(held, alice, "k", applied=False)
    assert released == []
    with pytest.raises(ValueError):
        await held.run(Call(CAST_VOTE, 1, caller=Caller(alice.id, alice.name, alice.token_hash)), fail)
    assert [check.policy for check in released] == ["votes"]


async def test_what_the_limiter_alone_refuses_is_told_by_the_judge_and_noted(
    ahead: Throttle, db: asyncpg.Connection, limiter: PatientLimiter
) -> None:
    alice, bob = await a_member(db, ahead), await a_member(db, ahead)
    assert await post(ahead, bob)
    await fill(ahead, alice)
    usage = Usage(POSTS, 9, 60.0)

    async def publish() -> Change[None]:
        return Change(None, usage=usage)

    assert (await ahead.run(a_post(alice), publish)).usage == usage
    await until_noted(ahead, {"allowed": 1, "denied": 1, "unconfirmed": 1})
    # it should count, and be given back when it was not used
    assert counted(limiter, alice) == 11
    assert await post(ahead, alice, applied=False)
    await until_noted(ahead, {"allowed": 1, "denied": 2, "unconfirmed": 1})
    await until_all_given_back(ahead)
    assert counted(limiter, alice) == 11


async def test_what_the_judge_does_not_tell_is_told_by_the_limiter(ahead: Throttle, db: asyncpg.Connection) -> None:
    alice, bob = await a_member(db, ahead), await a_member(db, ahead)
    assert await post(ahead, bob)

    async def publish() -> Change[None]:
        return Change(None)

    usage = (await ahead.run(a_post(alice), publish)).usage
    assert (usage.limit, usage.left) == (POSTS, 9)


async def test_the_rate_is_known_while_a_post_is_under_way(
    ahead: Throttle, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = await a_member(db, ahead), await a_member(db, ahead)
    assert await post(ahead, bob)
    until_when = ahead.judged_until
    slow = asyncio.Event()
    running = asyncio.ensure_future(post(ahead, alice, until=slow))

    async def is_renewed() -> bool:
        return ahead.judged_until > until_when

    await until(is_renewed)
    assert not running.done()
    slow.set()
    assert await running


async def test_what_went_ahead_is_told_before_the_api_stops(
    ahead: Throttle, db: asyncpg.Connection, limiter: PatientLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = await a_member(db, ahead), await a_member(db, ahead)
    monkeypatch.setattr(telling, "GATHER_SECONDS", HOUR)
    assert await post(ahead, bob)
    assert await post(ahead, alice)
    assert counted(limiter, alice) == 0
    await ahead.close()
    assert counted(limiter, alice) == 1


async def test_under_another_rate_a_known_refusal_is_the_limiters_to_tell(
    ahead: Throttle, db: asyncpg.Connection, limiter: PatientLimiter
) -> None:
    alice, bob = await a_member(db, ahead), await a_member(db, ahead)
    assert await refused_by_the_judge(ahead, alice) == 1
    await posted(db, alice, *range(1, 11))
    tighten(limiter, "posts", 4)
    assert await post(ahead, bob)
    await until_noted(ahead, {"allowed": 2})
    await fill(ahead, alice, 4)
    with pytest.raises(Limited) as refusal:
        await ahead.run(a_post(alice), never)
    assert refusal.value.limit.rate == (4, 60)


def test_a_tightened_rate_holds_for_the_next_post_in_every_process(
    limiter: PatientLimiter, shared_database: str, alice: Agent, bob: Agent, tmp_path: Path
) -> None:
    with (
        PatientApi(shared_database, tmp_path / "other", LIMITER_URL=limiter.url) as other,
        Agent(other.url, bob.token or "", bob.name) as elsewhere,
    ):
        for agent in (alice, elsewhere):
            agent.thread()
            # it should not matter that the process has just learnt of the other rate
            agent.thread()
            tighten(limiter, "posts", 1)
            assert agent.post("/api/threads", {"title": "t", "body": "b"}).status == 429
            assert limiter.operate("DELETE", "/policies/posts?who=a+test")[0] == 200
