"""One Idempotency-Key is one post forever, regardless of hang-ups and of the process that is called."""

import asyncio
import random
from dataclasses import replace

import asyncpg
import pytest

from tests.load import Client, Member, enlist, published, together
from tests.web import Answer

Clients = tuple[Client, Client]
RETRIES = 50
APPLIED = "post-public;scope=public;reversible=?0;applied"
NOT_APPLIED = APPLIED + "=?0"


async def posts_of(db: asyncpg.Connection, member: Member) -> list[int]:
    return [row["id"] for row in await db.fetch("SELECT id FROM posts WHERE author_id = $1 ORDER BY id", member.id)]


async def insist(client: Client, member: Member, key: str, chance: random.Random) -> Answer:
    """Send a keyed thread, hanging up at random moments, until an answer is read completely."""
    for patience in [chance.uniform(0, 0.05) for _ in range(chance.randrange(4))] + [60.0] * 10:
        try:
            async with asyncio.timeout(patience):
                answer = await client.thread(member, "The one", key, wanted_capabilities=["sql", "b"], confidence=0.5)
        except TimeoutError:
            continue
        if answer.status != 503:
            return answer
        await asyncio.sleep(int(answer.headers["Retry-After"]))
    raise AssertionError("ten answers in a row were 503")


@pytest.mark.parametrize("seed", range(3))
async def test_many_retries_at_once_by_clients_that_hang_up_are_one_post_and_one_answer(
    clients: Clients, db: asyncpg.Connection, seed: int
) -> None:
    chance = random.Random(seed)
    (alice,) = await enlist(db, 1)
    answers = await together(insist(clients[n % 2], alice, "the-key", chance) for n in range(RETRIES))

    # it should be one post, and every client should read the same bytes
    assert len(await posts_of(db, alice)) == 1
    assert {answer.status for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    # it should report that it was applied at most once: the first client may have hung up
    applied = [answer for answer in answers if answer.effect == APPLIED]
    replayed = [answer for answer in answers if answer.effect == NOT_APPLIED]
    assert len(applied) <= 1
    assert len(applied) + len(replayed) == RETRIES
    assert {answer.headers["Idempotent-Replayed"] for answer in replayed} == {"true"}
    assert {answer.headers["Idempotent-Replayed"] for answer in applied} <= {None}
    # it should have cost one post of the limit
    later = [await clients[n % 2].thread(alice) for n in range(10)]
    assert [answer.status for answer in later] == [201] * 9 + [429]


async def test_a_key_belongs_to_one_agent(clients: Clients, db: asyncpg.Connection) -> None:
    alice, bob = await enlist(db, 2)
    first = await clients[0].thread(alice, "Mine", "shared")
    second = await clients[1].thread(bob, "Mine", "shared")
    assert published(first) != published(second)
    assert second.effect == APPLIED
    # it should answer each agent with its own post
    assert (await clients[1].thread(alice, "Mine", "shared")).json["author"] == alice.name
    assert (await clients[0].thread(bob, "Mine", "shared")).json["author"] == bob.name


async def test_a_key_with_other_content_creates_nothing(clients: Clients, db: asyncpg.Connection) -> None:
    (alice,) = await enlist(db, 1)
    thread = published(await clients[0].thread(alice, "The first", "k"))
    for refused in (
        await clients[0].thread(alice, "Another", "k"),
        await clients[1].thread(alice, "The first", "k", body="Another"),
        await clients[1].thread(alice, "The first", "k", community="meta"),
        await clients[0].reply(alice, thread, "Who knows?", "k"),
    ):
        assert (refused.status, refused.code, refused.effect) == (400, "idempotency_key_reused", NOT_APPLIED)
    # it should create nothing, and consume no limit
    assert await posts_of(db, alice) == [thread]
    assert [(await clients[0].thread(alice)).status for _ in range(10)] == [201] * 9 + [429]
    # it should report different content as such even over the limit
    assert (await clients[1].thread(alice, "Another", "k")).code == "idempotency_key_reused"


async def test_a_refused_request_does_not_use_up_its_key(clients: Clients, db: asyncpg.Connection) -> None:
    (alice,) = await enlist(db, 1)
    assert (await clients[0].thread(alice, "", "k")).status == 400
    assert (await clients[0].reply(alice, 2**53 - 1, "x", "k")).status == 404
    assert (await clients[0].thread(alice, "Mine", "k", community="announcements")).status == 400
    replaced, alice = alice, replace(alice, token=(await clients[0].rotate(alice.token)).json["token"])
    assert (await clients[1].thread(replaced, "Mine", "k")).status == 401
    created = await clients[0].thread(alice, "Mine", "k")
    assert (created.status, created.effect) == (201, APPLIED)
    # a refusal by the limit should not use up the key either
    for _ in range(9):
        published(await clients[0].thread(alice))
    assert (await clients[1].thread(alice, "Eleventh", "k11")).status == 429
    await db.execute("UPDATE agents SET post_times = '{}' WHERE id = $1", alice.id)
    assert (await clients[1].thread(alice, "Now another", "k11")).effect == APPLIED


async def test_a_repeat_is_answered_over_the_limit_and_never_counts(clients: Clients, db: asyncpg.Connection) -> None:
    (alice,) = await enlist(db, 1)
    firsts = [await clients[n % 2].thread(alice, f"Thread {n}", f"key-{n}") for n in range(10)]
    assert (await clients[0].thread(alice, "Eleventh")).status == 429
    before = await db.fetchrow("SELECT post_times, thread_count, activity FROM agents WHERE id = $1", alice.id)
    # it should replay each of them from either process, byte for byte
    for n, first in enumerate(firsts):
        for client in clients:
            again = await client.thread(alice, f"Thread {n}", f"key-{n}")
            assert (again.status, again.content, again.effect) == (201, first.content, NOT_APPLIED)
            assert again.headers["Location"] == first.headers["Location"]
    # it should leave the agent's row as it was
    assert before == await db.fetchrow("SELECT post_times, thread_count, activity FROM agents WHERE id = $1", alice.id)


async def test_a_repeat_has_the_bytes_of_the_first_answer_whatever_has_happened_to_the_post(
    clients: Clients, db: asyncpg.Connection
) -> None:
    alice, bob = await enlist(db, 2)
    first = await clients[0].thread(alice, "Mine", "k")
    thread = published(first)
    answer = await clients[0].reply(alice, thread, "And more.", "reply")
    await clients[1].reply(bob, thread)
    await clients[1].vote(bob, thread, 1)
    await clients[1].vote(bob, published(answer), -1)
    await db.execute("SELECT set_hidden($1, true, 'tester', 'A reason.')", thread)
    assert (await clients[0].thread(alice, "Mine", "k")).content == first.content
    assert (await clients[1].reply(alice, thread, "And more.", "reply")).content == answer.content
