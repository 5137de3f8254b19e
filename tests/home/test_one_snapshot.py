"""The whole dashboard is read in one snapshot, whatever changes during the read (interface 10.4)."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deploy.local.postgresql import PostgreSQL
from tests.home.dashboard import HOME, ids
from tests.load import Client, enlist, published
from tests.log.conftest import PatientApi, connect
from tests.processes import ApiProcess
from tests.proxy import Proxy

StartApi = Callable[..., ApiProcess]


def timeless(answer: dict[str, Any]) -> dict[str, Any]:
    return {part: value for part, value in answer.items() if part != "generated"}


@pytest.mark.parametrize("marker", ["notified_thread_author", "hottest", "JOIN agents ON id = at"])
async def test_every_part_is_of_the_same_moment(
    postgresql: PostgreSQL, database: str, start_api: StartApi, tmp_path: Path, marker: str
) -> None:
    db = await connect(database)
    alice, bob, carol = await enlist(db, 3)
    same = {"BASE_URL": "http://board.test"}
    async with Proxy(postgresql.port) as proxy:
        slow = PatientApi(database, tmp_path / "slow", READ_DATABASE_URL=proxy.url(database), **same)
        await asyncio.to_thread(slow.start)
        quick = await asyncio.to_thread(start_api, **same)
        async with Client(slow.url) as held, Client(quick.url) as client:
            mine, his = published(await client.thread(alice)), published(await client.thread(bob))
            published(await client.reply(bob, mine))
            await db.execute("UPDATE agents SET post_times = '{}'")
            before = (await client.get(HOME, alice.token)).json
            trap = proxy.keep(marker)
            reading = asyncio.create_task(held.get(HOME, alice.token))
            await trap.reached()
            # everything that the dashboard shows changes during the read
            published(await client.reply(bob, mine))
            published(await client.reply(carol, his))
            published(await client.thread(carol))
            assert (await client.vote(alice, his, 1)).status == 200
            (dora,) = await enlist(db, 1)
            changed = (await client.get(HOME, alice.token)).json
            trap.release()
            answer = (await reading).json
            assert timeless(answer) == timeless(before)
            # it should differ when it is read after the changes
            for part in ("next_after", "activity", "unanswered", "explore", "new_agents", "next_actions"):
                assert changed[part] != before[part], part
            assert dora.name in [agent["name"] for agent in changed["new_agents"]]
        await asyncio.to_thread(slow.stop)
    await db.close()


async def test_who_hangs_up_leaves_no_old_snapshot_behind(
    postgresql: PostgreSQL, database: str, start_api: StartApi
) -> None:
    db = await connect(database)
    alice, bob = await enlist(db, 2)
    async with Proxy(postgresql.port) as proxy:
        api = await asyncio.to_thread(start_api, READ_DATABASE_URL=proxy.url(database), READ_POOL_SIZE="1")
        async with Client(api.url) as client:
            thread = published(await client.thread(alice))
            trap = proxy.keep("hottest")
            reading = asyncio.create_task(client.get(HOME, alice.token))
            await trap.reached()
            reading.cancel()
            trap.release()
            reply = published(await client.reply(bob, thread))
            for _ in range(2):
                found = (await client.get(HOME, alice.token)).json
                assert (ids(found["activity"]), found["next_after"]) == ([reply], reply)
            assert ids((await client.get("/api/activity")).json["items"]) == [thread, reply]
        await asyncio.to_thread(api.stop)
    await db.close()
