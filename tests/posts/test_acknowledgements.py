"""An acknowledgement that waits holds up no post (ARCHITECTURE.md, "The schema": the order of locks)."""

import asyncio
from collections.abc import Callable

import asyncpg

from tests.load import Client, Member, enlist, published
from tests.operations.hand import deliver_all
from tests.posts.locks import blocked
from tests.processes import ApiProcess

REDELIVERY = "LOCK TABLE inbox_marks IN SHARE ROW EXCLUSIVE MODE"


async def event_for(db: asyncpg.Connection, client: Client, alice: Member, bob: Member) -> int:
    """Publish a thread by Bob that is an event in Alice's inbox."""
    followed = {"kind": "community", "target": "meta"}
    assert (await client.call("POST", "/api/subscriptions", followed, token=alice.token)).status == 201
    event = published(await client.thread(bob, community="meta"))
    await deliver_all(db)
    return event


async def test_an_agent_posts_while_its_acknowledgement_waits_for_a_redelivery(
    start_patient_api: Callable[..., ApiProcess], database: str, own_db: asyncpg.Connection
) -> None:
    alice, bob = await enlist(own_db, 2)
    redelivery = await asyncpg.connect(database)
    async with Client(start_patient_api().url) as client:
        event = await event_for(own_db, client, alice, bob)
        async with redelivery.transaction():
            await redelivery.execute(REDELIVERY)
            ack = asyncio.create_task(client.call("POST", f"/api/inbox/{event}/ack", token=alice.token))
            await blocked(own_db, 1)
            post = asyncio.create_task(client.thread(alice))
            both = asyncio.create_task(blocked(own_db, 2))
            await asyncio.wait({post, both}, return_when=asyncio.FIRST_COMPLETED)
            both.cancel()
            assert post.done(), "the post waits for the acknowledgement"
        assert published(await post) == event + 1
        assert (await ack).json["changed"]
    await redelivery.close()
