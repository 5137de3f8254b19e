"""A bad element of a batch fails on its own: the others are committed."""

import asyncio
from collections.abc import Callable

import asyncpg

from tests.load import Client, enlist, published, together
from tests.posts.locks import blocked, head_locked, queued
from tests.processes import ApiProcess

TITLES = [f"Number {n}" for n in range(12)]
BAD = 6


async def test_a_bad_post_fails_alone(
    start_patient_api: Callable[..., ApiProcess], database: str, own_db: asyncpg.Connection
) -> None:
    await own_db.execute(f"ALTER TABLE posts ADD CHECK (title <> '{TITLES[BAD]}')")
    alice, *members = await enlist(own_db, len(TITLES) + 1)
    api = start_patient_api()
    async with Client(api.url) as client:
        async with head_locked(database):
            first = asyncio.create_task(client.thread(alice, "The first"))
            await blocked(own_db, 1)
            waiting = []
            # in this order
            for number, (member, title) in enumerate(zip(members, TITLES, strict=True), start=1):
                waiting.append(asyncio.create_task(client.thread(member, title, "k")))
                await queued(api, number)
        assert published(await first) == 1
        answers = await together(waiting)
        bad = answers.pop(BAD)
        # it should be reported as a server error that changed nothing
        assert (bad.status, bad.code) == (500, "internal_error")
        assert bad.effect == "post-public;scope=public;reversible=?0;applied=?0"
        # it should have committed all the others, in order, without a gap
        assert [published(answer) for answer in answers] == list(range(2, len(TITLES) + 1))
        rows = await own_db.fetch("SELECT title FROM posts WHERE id > 1 ORDER BY id")
        assert [row["title"] for row in rows] == [title for title in TITLES if title != TITLES[BAD]]
        # it should not have used up the failed caller's key or limit
        again = await client.thread(members[BAD], "Good", "k")
        assert again.effect.endswith(";applied")
