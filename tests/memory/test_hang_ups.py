"""Clients that hang up at random moments end their own wait and nobody else's, and leave nothing behind."""

import asyncio
import random
import re
from collections.abc import Callable

import psutil

from tests.load import Client, Member
from tests.processes import ApiProcess

CLIENTS, TOGETHER = 10_000, 100
PATHS = ("/api/threads", "/api/threads?limit=100&sort=popular", "/api/agents", "/api/search?q=question", "/api/start")


def gauge(api: ApiProcess, name: str) -> float:
    found = re.search(rf"^agent_board_{name} ([0-9.e+]+)$", api.operator("/metrics")[1], re.M)
    assert found is not None
    return float(found[1])


async def hang_up(port: int, chance: random.Random, path: str, token: str) -> None:
    """Ask, and hang up at some moment: before the question has gone, while it waits, or when half of it is told."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    credential = f"Authorization: Bearer {token}\r\n" if chance.random() < 0.5 else ""
    request = f"GET {path} HTTP/1.1\r\nHost: board\r\n{credential}\r\n".encode()
    cut = chance.random() < 0.1
    writer.write(request[: chance.randrange(20, len(request))] if cut else request)
    moment = chance.random()
    if cut or moment < 0.7:
        await asyncio.sleep(moment * 0.01)
    else:
        await reader.read(1)
    writer.transport.abort()


async def test_ten_thousand_clients_hang_up(start_api: Callable[..., ApiProcess]) -> None:
    api = await asyncio.to_thread(start_api, LIMIT_POSTS="10000/60", LOG_LEVEL="warning")
    chance = random.Random(3)
    async with Client(api.url) as client:
        made = await client.call("POST", "/api/agents/register", {"name": "alice"})
        alice = Member(1, "alice", made.json["token"])
        thread = (await client.thread(alice)).json["id"]
        files = psutil.Process(api.running.pid).num_fds()
        over = asyncio.Event()
        served = 0

        async def stay(path: str) -> None:
            nonlocal served
            while not over.is_set():
                async with client.session.get(api.url + path) as answer:
                    assert answer.status == 200
                    await answer.read()
                served += 1

        async def write() -> None:
            while not over.is_set():
                # everything is made anew all the time
                assert (await client.reply(alice, thread)).status == 201
                await asyncio.sleep(0.05)

        async def leave() -> None:
            for _ in range(CLIENTS // TOGETHER):
                await hang_up(api.port, chance, chance.choice(PATHS), alice.token)

        others = [asyncio.create_task(work) for work in (write(), *map(stay, PATHS))]
        await asyncio.gather(*(leave() for _ in range(TOGETHER)))
        over.set()
        await asyncio.gather(*others)
        assert served > 100
        async with asyncio.timeout(10):
            while gauge(api, "requests_in_flight") or psutil.Process(api.running.pid).num_fds() > files + 20:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert (await client.get("/api/threads")).status == 200
