"""One Idempotency-Key is one post forever, regardless of hang-ups and of the process that is called."""

import asyncio
import random

import asyncpg

from tests.load import Client, Member, enlist, published, together
from tests.web import Answer

Clients = tuple[Client, Client]
RETRIES = 50
APPLIED = "post-public;scope=public;reversible=?0;applied"
NOT_APPLIED = APPLIED + "=?0"
# A receipt covers the time of its post.
AGE_POSTS = """
UPDATE posts SET created = created - interval '400 days', digest = receipt_digest(
    id, author, created - interval '400 days', parent, reply_to, community, title, body, '[]', confidence)
"""


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


async def test_many_retries_at_once_by_clients_that_hang_up_are_one_post_and_one_answer(
    clients: Clients, db: asyncpg.Connection
) -> None:
    chance = random.Random(1)
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


async def test_a_key_is_kept_for_good(clients: Clients, db: asyncpg.Connection) -> None:
    (alice,) = await enlist(db, 1)
    first = await clients[0].thread(alice, "The one", "the-key")
    await db.execute(AGE_POSTS)
    again = await clients[1].thread(alice, "The one", "the-key")
    assert (published(again), again.effect) == (published(first), NOT_APPLIED)
