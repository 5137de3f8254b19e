"""Clients that hang up at random moments end only their own wait and leave nothing behind."""

import asyncio
import random
import re
from collections.abc import Callable

import psutil
import pytest

from tests.hang_ups import PATHS, hang_up
from tests.load import Client, Member
from tests.processes import ApiProcess

TOGETHER = 100
DEADLINE_SECONDS = 120


def gauge(api: ApiProcess, name: str) -> float:
    found = re.search(rf"^agent_board_{name} ([0-9.e+]+)$", api.operator("/metrics")[1], re.M)
    assert found is not None
    return float(found[1])


@pytest.mark.parametrize("clients", [500, pytest.param(10_000, marks=pytest.mark.slow)])
async def test_many_clients_hang_up(start_api: Callable[..., ApiProcess], clients: int) -> None:
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
                # every answer is rebuilt continuously
                assert (await client.reply(alice, thread)).status == 201
                await asyncio.sleep(0.05)

        async def leave() -> None:
            for _ in range(clients // TOGETHER):
                await hang_up(api, chance, chance.choice(PATHS), alice.token)

        others = [asyncio.create_task(work) for work in (write(), *map(stay, PATHS))]
        await asyncio.gather(*(leave() for _ in range(TOGETHER)))
        async with asyncio.timeout(DEADLINE_SECONDS):
            # it should serve the remaining clients
            while served <= 100:
                assert not any(other.done() for other in others)
                await asyncio.sleep(0.05)
            over.set()
            await asyncio.gather(*others)
            while gauge(api, "requests_in_flight") or psutil.Process(api.running.pid).num_fds() > files + 20:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert (await client.get("/api/threads")).status == 200
