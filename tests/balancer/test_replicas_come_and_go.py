"""Replicas are stopped, killed, added and removed under load: only a post without a key can fail."""

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import asyncpg
import pytest

from tests.balancer.balancer import Balancer
from tests.load import Client, Member, enlist, published, together
from tests.processes import ApiProcess
from tests.web import Web

StartBalancer = Callable[..., Balancer]
StartReplica = Callable[..., ApiProcess]
ADDRESSES = ("127.0.0.2", "127.0.0.3", "127.0.0.4")
READERS, WRITERS, POSTS_EACH = 8, 8, 9
# With pauses between calls these members do not run out of posts within minutes.
MEMBERS, PAUSE_SECONDS = 2000, 0.1
DEADLINE_SECONDS = 120
NOTICE = {"DRAIN_NOTICE_SECONDS": "3"}


@dataclass
class Load:
    """Read continuously, and publish as many posts as the limit allows. Any failure fails the test."""

    client: Client
    members: list[Member]
    keyed: bool
    reads: int = 0
    posts: list[int] = field(default_factory=list)
    over: bool = False

    async def read(self) -> None:
        while not self.over:
            answer = await self.client.get("/api/threads?limit=3")
            assert answer.status == 200, answer.content
            self.reads += 1
            await asyncio.sleep(PAUSE_SECONDS)

    async def write(self, members: list[Member]) -> None:
        for member in members:
            for number in range(POSTS_EACH):
                if self.over:
                    return
                key = f"{member.name}-{number}" if self.keyed else None
                self.posts.append(published(await self.client.thread(member, f"{member.name} {number}", key)))
                await asyncio.sleep(PAUSE_SECONDS)

    async def passes(self, count: int) -> None:
        """Return when this many more reads and a tenth as many posts have been answered."""
        reads, posts = self.reads + count, len(self.posts) + count // 10
        async with asyncio.timeout(DEADLINE_SECONDS):
            while self.reads < reads or len(self.posts) < posts:  # noqa: ASYNC110 - two tasks count
                await asyncio.sleep(0.01)


@asynccontextmanager
async def load(balancer: Balancer, database: str, keyed: bool) -> AsyncIterator[Load]:
    """Generate load while the block runs. Afterwards the log must contain exactly the posts that were answered."""
    db = await asyncpg.connect(database)
    async with Client(balancer.url) as client:
        members = await enlist(db, MEMBERS)
        running = Load(client, members, keyed)
        shares = [members[number::WRITERS] for number in range(WRITERS)]
        tasks = [asyncio.create_task(running.read()) for _ in range(READERS)]
        tasks += [asyncio.create_task(running.write(share)) for share in shares]
        block = asyncio.current_task()
        assert block is not None
        for task in tasks:
            task.add_done_callback(lambda task: block.cancel() if not task.cancelled() and task.exception() else None)
        try:
            yield running
        except asyncio.CancelledError:
            if not any(task.done() and task.exception() for task in tasks):
                raise
        running.over = True
        await together(tasks)
    titles = [row["title"] for row in await db.fetch("SELECT title FROM posts ORDER BY id")]
    ids = [row["id"] for row in await db.fetch("SELECT id FROM posts ORDER BY id")]
    await db.close()
    assert [title for title, count in Counter(titles).items() if count > 1] == []
    assert ids == sorted(running.posts)


async def in_thread(function: Callable[..., object], *arguments: object) -> None:
    await asyncio.to_thread(function, *arguments)


@pytest.mark.slow
async def test_a_killed_replica_loses_no_read_and_no_keyed_post(
    start_balancer: StartBalancer, start_replica: StartReplica, database: str
) -> None:
    balancer = start_balancer()
    replicas = [start_replica(balancer, address) for address in ADDRESSES[:2]]
    balancer.name(*ADDRESSES[:2])
    async with load(balancer, database, keyed=True) as running:
        for replica in replicas:
            await running.passes(100)
            replica.kill()
            await running.passes(100)
            await in_thread(replica.start)
            await in_thread(balancer.wait_until_ready, 2)
    assert any(int(line["retries"]) > 0 for line in balancer.log_lines())


@pytest.mark.slow
async def test_a_stopped_replica_loses_nothing(
    start_balancer: StartBalancer, start_replica: StartReplica, database: str
) -> None:
    balancer = start_balancer()
    replicas = [start_replica(balancer, address, **NOTICE) for address in ADDRESSES[:2]]
    balancer.name(*ADDRESSES[:2])
    async with load(balancer, database, keyed=False) as running:
        for replica in replicas:
            await running.passes(100)
            assert await asyncio.to_thread(replica.terminate) == 0
            await running.passes(100)
            await in_thread(replica.start)
            await in_thread(balancer.wait_until_ready, 2)
    # nothing should have been sent twice
    assert {line["retries"] for line in balancer.log_lines()} == {"0"}


@pytest.mark.slow
async def test_replicas_are_added_and_removed_by_name(
    start_balancer: StartBalancer, start_replica: StartReplica, database: str
) -> None:
    balancer = start_balancer()
    first, second, third = (start_replica(balancer, address, **NOTICE) for address in ADDRESSES)
    balancer.name(ADDRESSES[0])
    async with load(balancer, database, keyed=False) as running:
        await in_thread(balancer.name, *ADDRESSES)
        await running.passes(100)
        assert await asyncio.to_thread(first.terminate) == 0
        await in_thread(balancer.name, *ADDRESSES[1:])
        await running.passes(100)
    for replica in (first, second, third):
        assert any("operation" in line for line in replica.log_lines())


@pytest.mark.slow
async def test_a_replica_that_is_not_ready_gets_no_new_request(
    start_balancer: StartBalancer, start_replica: StartReplica, database: str
) -> None:
    balancer = start_balancer()
    unready = start_replica(balancer, ADDRESSES[0], DRAIN_NOTICE_SECONDS="20")
    ready = start_replica(balancer, ADDRESSES[1])
    balancer.name(*ADDRESSES[:2])
    async with load(balancer, database, keyed=False) as running:
        await running.passes(100)
        unready.signal(signal.SIGTERM)
        await in_thread(balancer.wait_until_ready, 1)
        # calls that were in flight when HAProxy noticed are complete after the next answers
        await running.passes(100)
        before = balancer.served()
        await running.passes(200)
        after = balancer.served()
        assert after[0] == before[0]
        assert after[1] > before[1] + 200
    assert unready.running.poll() is None
    unready.kill()
    assert ready.running.poll() is None


def test_when_no_replica_is_ready_all_are_used(start_balancer: StartBalancer, start_replica: StartReplica) -> None:
    balancer = start_balancer()
    replica = start_replica(balancer, ADDRESSES[0], DRAIN_NOTICE_SECONDS="20")
    balancer.name(ADDRESSES[0])
    replica.signal(signal.SIGTERM)
    balancer.wait_until_ready(0)
    with Web(balancer.url) as web:
        assert web.get("/skill.md").status == 200
        assert web.get("/api/health").status == 200
    replica.kill()
