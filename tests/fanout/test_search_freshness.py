"""A search on any replica finds every post that was answered before it began, even while the index is disturbed."""

import asyncio
import itertools
import random
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from urllib.parse import quote

import asyncpg
import pytest

from tests.fanout import index
from tests.load import Client, Member, enlist, published
from tests.posts.locks import until
from tests.processes import ApiProcess, FanoutProcess

StartFanout = Callable[..., FanoutProcess]
Clients = tuple[Client, Client]
words = (f"word{n}" for n in itertools.count(1))


@pytest.fixture
async def clients(start_api: Callable[..., ApiProcess]) -> AsyncIterator[Clients]:
    """A client of each of two API processes."""
    urls = [(await asyncio.to_thread(start_api, BASE_URL="http://board.test")).url for _ in range(2)]
    async with AsyncExitStack() as stack:
        yield (await stack.enter_async_context(Client(urls[0])), await stack.enter_async_context(Client(urls[1])))


async def searched(client: Client, q: str) -> list[int]:
    answer = await client.get(f"/api/search?q={quote(q)}&limit=50")
    assert answer.status == 200, answer.content
    return [thread["id"] for thread in answer.json["threads"]]


async def wanted(client: Client, capability: str) -> list[int]:
    answer = await client.get(f"/api/opportunities?capability={quote(capability)}")
    assert answer.status == 200, answer.content
    return [thread["id"] for thread in answer.json["items"]]


async def check_both(clients: Clients, word: str, thread: int, found: bool, is_open: bool) -> None:
    """Check on both replicas that the word finds the thread, and whether the thread is an opportunity."""
    for client in clients:
        assert await searched(client, word) == ([thread] if found else []), word
        assert await wanted(client, word) == ([thread] if is_open else []), word


class Story:
    """Publishes, answers, hides and shows threads, and checks each step as soon as it is answered."""

    def __init__(self, clients: Clients, db: asyncpg.Connection) -> None:
        self.clients = clients
        self.db = db
        self.hiding = asyncio.Lock()
        self.finished = 0

    async def run(self, author: Member, other: Member, count: int) -> None:
        for n in range(count):
            here, there = self.clients if n % 2 else self.clients[::-1]
            word = next(words)
            thread = published(await here.thread(author, f"About {word}", wanted_capabilities=[word.title()]))
            await check_both(self.clients, word, thread, True, True)
            answer = published(await there.reply(other, thread))
            await check_both(self.clients, word, thread, True, False)
            for post, hidden, found, is_open in (
                (answer, True, True, True),
                (thread, True, False, False),
                (answer, False, False, False),
                (thread, False, True, False),
            ):
                await self.set_hidden(post, hidden)
                await check_both(self.clients, word, thread, found, is_open)
            self.finished += 1

    async def set_hidden(self, post: int, hidden: bool) -> None:
        async with self.hiding:
            await index.set_hidden(self.db, post, hidden)

    async def run_all(self, members: list[Member], count: int) -> None:
        pairs = zip(members[::2], members[1::2], strict=True)
        await asyncio.gather(*[self.run(author, other, count) for author, other in pairs])


async def check_index(db: asyncpg.Connection) -> None:
    await index.caught_up(db)
    assert await index.wrong_index(db) == []
    assert await index.documents(db)


async def test_while_the_index_is_running(start_fanout: StartFanout, clients: Clients, db: asyncpg.Connection) -> None:
    await asyncio.to_thread(start_fanout)
    await Story(clients, db).run_all(await enlist(db, 8), 4)
    await check_index(db)


async def test_while_the_index_is_not_running(
    start_fanout: StartFanout, clients: Clients, db: asyncpg.Connection
) -> None:
    await Story(clients, db).run_all(await enlist(db, 8), 2)
    assert await index.documents(db) == []
    # it should continue from its cursor as soon as it is back
    await asyncio.to_thread(start_fanout)
    await check_index(db)


@pytest.mark.parametrize("kills", [2, pytest.param(8, marks=pytest.mark.slow)])
async def test_while_the_index_is_killed_repeatedly(
    start_fanout: StartFanout, clients: Clients, db: asyncpg.Connection, other_db: asyncpg.Connection, kills: int
) -> None:
    chance = random.Random(0)
    # a step takes a while, so that kills often hit the middle of one
    await other_db.execute("""
        CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.02); RETURN NEW; END';
        CREATE TRIGGER linger BEFORE UPDATE ON search_cursor FOR EACH ROW EXECUTE FUNCTION linger()""")
    story = Story(clients, db)
    for _ in range(kills):
        fanout = await asyncio.to_thread(start_fanout)
        goal = story.finished + chance.randrange(1, 8)
        running = asyncio.create_task(story.run_all(await enlist(other_db, 8), 3))

        async def reached(goal: int = goal, running: "asyncio.Task[None]" = running) -> bool:
            return running.done() or story.finished >= goal

        await until(reached)
        fanout.kill()
        await running
    await asyncio.to_thread(start_fanout)
    await check_index(db)


async def test_a_frozen_index_delays_no_client(
    start_fanout: StartFanout, clients: Clients, db: asyncpg.Connection
) -> None:
    frozen = await asyncio.to_thread(start_fanout)
    members = await enlist(db, 4)
    running = asyncio.create_task(Story(clients, db).run_all(members, 2))
    await asyncio.sleep(0)
    frozen.signal(signal.SIGSTOP)
    await running
    # another process should take over its work
    await asyncio.to_thread(start_fanout)
    await check_index(db)
    frozen.signal(signal.SIGCONT)
