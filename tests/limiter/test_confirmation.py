"""The log has the last word on posts, and is asked for it at most once a second per agent and process."""

import asyncio
import time
import uuid

import asyncpg
import pytest

from services.api import holds, turns
from services.api.board import Call
from services.api.throttle import Throttle
from services.board.changes import Change
from services.board.contract.checks import Check
from services.board.contract.limits import POSTS, Rate
from services.board.contract.operations import OPERATIONS
from services.board.errors import Limited, OutcomeUnknown, Unavailable
from services.board.tokens import Caller
from tests.limiter.posting import (
    CREATE_THREAD,
    Counted,
    a_member,
    counted,
    fill,
    never,
    post,
    post_as,
    posted,
    until_all_given_back,
    until_under_way,
)
from tests.limiter.processes import PatientLimiter
from tests.load import together
from tests.log.locks import until


async def test_a_refusal_is_confirmed_once_and_then_known(held: Throttle, log: Counted, db: asyncpg.Connection) -> None:
    member = await a_member(db, held)
    await posted(db, member, *range(1, 11))
    await fill(held, member)
    assert [await post(held, member) for _ in range(20)] == [False] * 20
    assert log.asked == 1
    assert await together(post(held, member) for _ in range(20)) == [False] * 20
    assert log.asked == 1


async def test_what_the_log_does_not_confirm_passes_and_it_is_not_asked_again_at_once(
    held: Throttle, log: Counted, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holds, "CONFIRM_SECONDS", 3600)
    member = await a_member(db, held)
    await posted(db, member, *range(1, 10))
    await fill(held, member)
    assert await together(post(held, member) for _ in range(20)) == [True] * 20
    assert log.asked == 1
    # it should ask again after a second
    monkeypatch.setattr(holds, "CONFIRM_SECONDS", 0)
    await posted(db, member, *range(1, 11))
    assert not await post(held, member)
    assert log.asked == 2


async def test_a_refusal_is_known_no_longer_than_the_log_meant_it(
    held: Throttle, log: Counted, db: asyncpg.Connection
) -> None:
    member = await a_member(db, held)
    await fill(held, member)
    free = time.time() + 1
    await posted(db, member, *range(1, 10), 59)

    async def passes() -> bool:
        return await post(held, member)

    await until(passes)
    # it is the judge that is exact; a refusal may be forgotten by as little as clocks differ before
    assert time.time() >= free - 0.05


async def test_the_answer_of_the_judge_confirms_as_well(held: Throttle, log: Counted, db: asyncpg.Connection) -> None:
    member = await a_member(db, held)
    call = Call(CREATE_THREAD, uuid.uuid4().int, caller=Caller(0, "", member.token_hash))

    async def refuse() -> Change[None]:
        raise Limited(CREATE_THREAD.limit, member.id, 30)  # type: ignore[arg-type]

    with pytest.raises(Limited):
        await held.run(call, refuse)
    await fill(held, member)
    assert not await post(held, member)
    assert log.asked == 0


async def test_a_key_that_has_its_post_passes_however_often(
    held: Throttle, log: Counted, db: asyncpg.Connection
) -> None:
    member = await a_member(db, held)
    await posted(db, member, *range(1, 11))
    await fill(held, member)
    await db.execute(
        "INSERT INTO posts (id, author_id, author, community, title, body, created, activity, digest, request_id, "
        "idempotency_key, fingerprint) SELECT coalesce(max(id), 0) + 1000, $1, $2, 'general', 't', 'b', now(), now(), "
        "'', gen_random_uuid(), 'k', '' FROM posts",
        member.id,
        member.name,
    )
    for _ in range(3):
        assert await post(held, member, key="k", applied=False)
        assert not await post(held, member, key="new")
        assert not await post(held, member)


async def test_nobodys_token_is_left_to_the_judge(held: Throttle, db: asyncpg.Connection) -> None:
    member = await a_member(db, held)
    await posted(db, member, *range(1, 11))
    await fill(held, member)
    await db.execute("UPDATE agents SET token_hash = $2 WHERE id = $1", member.id, uuid.uuid4().bytes)
    assert await post(held, member)


async def test_what_was_not_used_is_given_back(held: Throttle, db: asyncpg.Connection, limiter: PatientLimiter) -> None:
    member = await a_member(db, held)
    call = Call(CREATE_THREAD, uuid.uuid4().int, caller=Caller(0, "", member.token_hash))

    async def fail() -> Change[None]:
        raise ValueError

    async def lose() -> Change[None]:
        raise OutcomeUnknown

    for _ in range(12):
        with pytest.raises(ValueError):
            await held.run(call, fail)
        assert await post(held, member, applied=False)
    # what may have been used is kept
    with pytest.raises(OutcomeUnknown):
        await held.run(call, lose)
    await until_all_given_back(held)
    assert counted(limiter, member) == 1


async def test_the_repeat_of_a_running_call_neither_counts_nor_gives_back_what_the_first_uses(
    held: Throttle, db: asyncpg.Connection, limiter: PatientLimiter
) -> None:
    member = await a_member(db, held)
    let_go = asyncio.Event()
    running = [asyncio.ensure_future(post(held, member, key="k", applied=n == 0, until=let_go)) for n in range(2)]
    await until_under_way(held, member, 2)
    assert counted(limiter, member) == 1
    let_go.set()
    assert await asyncio.gather(*running) == [True, True]
    await until_all_given_back(held)
    assert counted(limiter, member) == 1


async def test_at_most_two_posts_of_an_agent_are_under_way(held: Throttle, db: asyncpg.Connection) -> None:
    alice, bob = await a_member(db, held), await a_member(db, held)
    let_go = asyncio.Event()
    running = [asyncio.ensure_future(post(held, alice, until=let_go)) for _ in range(8)]
    await until_under_way(held, alice, 2)
    assert held.turns.waiting == 6
    # it should keep nobody else waiting
    assert await post(held, bob)
    let_go.set()
    assert await asyncio.gather(*running) == [True] * 8


def caller_refused_by_the_judge(held: Throttle, seconds: float, rate: Rate = POSTS.rate) -> Caller:
    """A caller of whom the judge has said that it can post again in so many seconds."""
    caller = Caller(7, "", uuid.uuid4().bytes)
    held.holds.put(Call(CREATE_THREAD, 1, caller=caller), caller.id, rate, time.monotonic(), seconds)
    return caller


async def test_while_the_limiter_is_away_the_judge_is_not_asked_what_it_has_said(
    held: Throttle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held.limiter.breaker, "allows", lambda: False)
    caller, free = caller_refused_by_the_judge(held, 30), caller_refused_by_the_judge(held, 0)
    asked: list[Caller] = []

    async def judge(call: Call) -> Change[None]:
        asked.append(call.caller)
        return Change(None, True)

    for _ in range(3):
        call = Call(CREATE_THREAD, 1, caller=caller)
        with pytest.raises(Limited) as refusal:
            await held.run(call, lambda call=call: judge(call))  # type: ignore[misc]
        assert 29 < refusal.value.wait < 30.5
        assert (refusal.value.agent_id, refusal.value.limit) == (7, POSTS)
    assert not asked
    # it should not keep a post that a key may have already, nor one whose time has come or that another rate refused
    tight = caller_refused_by_the_judge(held, 30, Rate(4, 60))
    let_through = [Call(CREATE_THREAD, 1, caller=caller, key="k")]
    let_through += [Call(CREATE_THREAD, 1, caller=other) for other in (free, tight)]
    # nor a vote, whatever its rate
    cast_vote = next(operation for operation in OPERATIONS if operation.name == "cast_vote")
    assert cast_vote.limit is not None
    let_through.append(Call(cast_vote, 1, caller=caller_refused_by_the_judge(held, 30, cast_vote.limit.rate)))
    for call in let_through:
        await held.run(call, lambda call=call: judge(call))  # type: ignore[misc]
    assert asked == [call.caller for call in let_through]


async def test_a_refusal_that_is_known_is_not_made_longer_by_repeating_it(
    held: Throttle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held.limiter.breaker, "allows", lambda: False)
    caller = caller_refused_by_the_judge(held, 30)
    before = held.holds.entries.get(caller.token_hash)
    for _ in range(100):
        assert not await post_as(held, caller)
    assert held.holds.entries.get(caller.token_hash) == before


async def test_who_waits_too_long_for_a_turn_is_told_what_the_judge_has_said(
    held: Throttle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "PATIENCE_SECONDS", 0.01)
    for seconds, error in ((30, Limited), (0, Unavailable)):
        caller = caller_refused_by_the_judge(held, seconds)
        for _ in range(2):
            await held.turns.take(caller.token_hash, None)
        with pytest.raises(error):
            await held.run(Call(CREATE_THREAD, 1, caller=caller), never)


async def test_a_refusal_under_another_rate_confirms_nothing(
    held: Throttle, log: Counted, db: asyncpg.Connection, limiter: PatientLimiter
) -> None:
    member = await a_member(db, held)
    await posted(db, member, *range(1, 6))
    tight = {"who": "a test", "quota": 4, "window": 60}
    assert limiter.operate("PUT", "/policies/posts", tight)[0] == 200
    for number in range(4):
        await held.limiter.check(Check("posts", member.name.lower(), f"never-{number}"))
    assert not await post(held, member)
    # five posts are too many for the tight rate, and not for the one of the settings
    assert limiter.operate("DELETE", "/policies/posts?who=a+test")[0] == 200
    for number in range(4, 10):
        await held.limiter.check(Check("posts", member.name.lower(), f"never-{number}"))
    assert await post(held, member)
    assert log.asked == 2


async def test_names_are_remembered_within_bounds(held: Throttle, monkeypatch: pytest.MonkeyPatch) -> None:
    held.names.size = 100
    hashes = [uuid.uuid4().bytes for _ in range(250)]
    for number, token_hash in enumerate(hashes):
        held.learn(Caller(number, f"Agent {number}", token_hash))
    assert [held.knows(token_hash) for token_hash in hashes] == [False] * 150 + [True] * 100
    assert held.names.get(hashes[-1]) == "agent 249"
