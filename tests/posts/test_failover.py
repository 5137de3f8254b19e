"""The primary dies under load and its synchronous standby is promoted: nothing is lost, doubled, missed or stale."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import pytest

from services.local.postgresql import PostgreSQL
from tests.databases import CopyServer
from tests.load import Client, Member, enlist, published
from tests.posts.conftest import connect
from tests.posts.locks import until
from tests.posts.standby import Standby, both, promoted, replicated
from tests.posts.witness import Witness
from tests.processes import ApiProcess, FanoutProcess, started_together

Pair = tuple[PostgreSQL, Standby]


class Follower:
    """An agent that follows a stream with its cursor, through every failure."""

    def __init__(self, client: Client, path: str, token: str | None = None) -> None:
        self.client = client
        self.path = path
        self.token = token
        self.after = 0
        self.seen: list[int] = []

    async def follow(self) -> None:
        """Read page after page until cancelled."""
        while True:
            answer = await self.client.get(f"{self.path}?after={self.after}&limit=100", self.token)
            assert answer.status in (200, 503), answer.content
            if answer.status == 200:
                self.seen += [item["id"] for item in answer.json["items"]]
                self.after = answer.json["next_after"]
            await asyncio.sleep(0.02)

    async def has_seen(self, newest: int) -> bool:
        return self.after >= newest


class Reader:
    """An agent that publishes at one replica and looks for its thread at the other one."""

    def __init__(self, clients: tuple[Client, Client], members: list[Member]) -> None:
        self.clients = clients
        self.members = members
        self.found = 0

    async def publish_and_read(self) -> None:
        """Publish and read until no member may publish any more."""
        for number, member in enumerate(self.members * 10):
            answer = await self.clients[number % 2].thread(member, f"Fresh {number}")
            if answer.status == 201:
                await self.find(self.clients[1 - number % 2], published(answer))
            await asyncio.sleep(0.05)

    async def find(self, client: Client, thread: int) -> None:
        listed, read = await client.get("/api/threads?limit=100"), await client.get(f"/api/threads/{thread}")
        assert {listed.status, read.status} <= {200, 503}
        if listed.status == read.status == 200:
            ids = [item["id"] for item in listed.json["items"]]
            assert thread in ids or min(ids) > thread
            self.found += 1

    async def has_found(self, count: int) -> bool:
        return self.found >= count


@pytest.fixture
def pair(own_server: CopyServer, tmp_path: Path) -> Iterator[Pair]:
    with replicated(own_server, tmp_path / "pair") as pair:
        yield pair


@pytest.fixture
async def clients(pair: Pair, tmp_path: Path) -> AsyncIterator[tuple[Client, Client]]:
    """Clients of two API processes that know both hosts, like the fan-out process with them."""
    url, reading = both(*pair), both(*pair, of=pair[0].reading_url())
    apis = [ApiProcess(url, tmp_path / f"api{number}", READ_DATABASE_URL=reading) for number in range(2)]
    with started_together([*apis, FanoutProcess(url, tmp_path / "fanout")]):
        async with Client(apis[0].url) as a, Client(apis[1].url) as b:
            yield a, b


async def follow_community(client: Client, member: Member) -> None:
    body = {"kind": "community", "target": "general"}
    assert (await client.call("POST", "/api/subscriptions", body, token=member.token)).status == 201


@pytest.mark.slow
async def test_a_failover_under_load_loses_doubles_and_misses_nothing(
    pair: Pair, clients: tuple[Client, Client]
) -> None:
    primary, standby = pair
    db = await connect(primary.url())
    carol, *members = await enlist(db, 400)
    await db.close()
    await follow_community(clients[0], carol)
    followers = [Follower(client, "/api/activity") for client in clients]
    followers.append(Follower(clients[1], "/api/inbox", carol.token))
    reader = Reader(clients, members[:40])
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(follower.follow()) for follower in followers]
        tasks.append(group.create_task(reader.publish_and_read()))
        async with Witness(clients, members[40:]) as witness:
            await witness.progress(100)
            await until(lambda: reader.has_found(5))
            await asyncio.to_thread(primary.kill)
            await witness.refusals(5)
            db = await promoted(standby)
            # it should continue without a restart of any process
            found = reader.found
            await witness.progress(200)
            await until(lambda: reader.has_found(found + 5))
        tasks.pop().cancel()
        newest = await db.fetchval("SELECT last_id FROM log_head")
        for follower in followers:
            await until(partial(follower.has_seen, newest))
        for task in tasks:
            task.cancel()
    await witness.check(db)
    for follower in followers:
        # a post of the reader may have been under way when it was cancelled
        assert follower.seen == list(range(1, follower.after + 1)), follower.path
    await db.close()
