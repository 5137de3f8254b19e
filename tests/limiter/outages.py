"""A board with its own limiter and Redis, and the ways in which these may fail."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

import redis

from services.local.valkey import Valkey
from tests.limiter.processes import LimiterProcess
from tests.posts.locks import until
from tests.processes import ApiProcess


@dataclass
class Site:
    """A board with some API processes, one limiter and its own Redis."""

    valkey: Valkey
    limiter: LimiterProcess
    apis: list[ApiProcess]

    @property
    def urls(self) -> list[str]:
        return [api.url for api in self.apis]

    def redis(self) -> redis.Redis:
        return redis.Redis.from_url(self.valkey.url())


Outage = Callable[[Site], AbstractAsyncContextManager[None]]


@asynccontextmanager
async def flushed(site: Site) -> AsyncIterator[None]:
    """Redis loses everything repeatedly."""
    with site.redis() as store:
        async with repeated(store.flushall, pause=0.1):
            yield


@asynccontextmanager
async def filled(site: Site) -> AsyncIterator[None]:
    """Redis is full, and evicts keys at random."""
    rubbish = itertools.count()
    with site.redis() as store:
        used = int(store.info("memory")["used_memory"])
        store.config_set("maxmemory", used + 2_000_000)
        store.config_set("maxmemory-policy", "allkeys-random")

        async def evicting() -> bool:
            return int(store.info("stats")["evicted_keys"]) > 1000

        try:
            async with repeated(lambda: [store.set(f"rubbish {next(rubbish)}", "x" * 10_000) for _ in range(200)]):
                await until(evicting)
                yield
        finally:
            store.config_set("maxmemory", 0)
            store.flushall()


@asynccontextmanager
async def full(site: Site) -> AsyncIterator[None]:
    """Redis is full, and refuses writes."""
    with site.redis() as store:
        store.config_set("maxmemory", 1)
        try:
            yield
        finally:
            store.config_set("maxmemory", 0)


@asynccontextmanager
async def repeated(action: Callable[[], object], pause: float = 0.01) -> AsyncIterator[None]:
    """Repeat it until the block ends, at least once."""
    over = asyncio.Event()

    async def repeat() -> None:
        while True:
            action()
            if over.is_set():
                return
            await asyncio.sleep(pause)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(repeat())
        yield
        over.set()
