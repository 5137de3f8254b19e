"""The pools of database connections of one API process, and their metrics."""

import asyncio
from contextlib import suppress
from typing import Final

from services.board.database.admission import Admission
from services.board.database.pool import Part, Pool, read_pool, write_pool
from services.process.metrics import Reading, Registry
from services.process.settings import Settings

from .request.writes import CONNECTIONS

CLOSE_SECONDS: Final = 2.0
SEARCHES_SHARE: Final = 3
"""Searches get one of this many connections of the pool `read`: a search can cost as much as a hundred other reads."""


class Pools:
    """The pools by name: `read` cannot write, `write` serves the handlers that write, `token` looks up tokens.

    Tokens have a pool of their own so that no look-up waits behind a write that waits for the log. `searches` is a part
    of the pool `read`.
    """

    def __init__(self, registry: Registry) -> None:
        self.pools: dict[str, Pool] = {}
        self.searches: Part
        Reading("agent_board_pool_connections", "Open connections, by pool.", self.sizes, "pool", registry=registry)
        Reading(
            "agent_board_pool_connections_max",
            "Most connections a pool may open.",
            self.limits,
            "pool",
            registry=registry,
        )
        Reading("agent_board_pool_idle_connections", "Idle connections, by pool.", self.idle, "pool", registry=registry)

    def __getitem__(self, name: str) -> Pool:
        return self.pools[name]

    async def open(self, settings: Settings, admission: Admission) -> None:
        """Open every pool. Raises what the driver raises when PostgreSQL is not available or not confirmed."""
        reads, writes = settings.read_database_url.get_secret_value(), settings.database_url.get_secret_value()
        self.pools["read"] = await read_pool(reads, settings.read_pool_size, admission.admit)
        self.searches = Part(self.pools["read"], max(1, settings.read_pool_size // SEARCHES_SHARE))
        self.pools["write"] = await write_pool(writes, CONNECTIONS, admission.admit)
        self.pools["token"] = await write_pool(writes, admit=admission.admit)

    def doubt(self) -> None:
        """Use no connection again that is open now."""
        for pool in self.pools.values():
            pool.doubt()

    async def close(self) -> None:
        """Close every pool; after 2 s, without waiting for PostgreSQL."""
        # A pool whose closing is cancelled ends its connections.
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await asyncio.gather(*(pool.close() for pool in self.pools.values()))

    def sizes(self) -> dict[str, float]:
        return {name: pool.driver.get_size() for name, pool in self.pools.items()}

    def limits(self) -> dict[str, float]:
        return {name: pool.driver.get_max_size() for name, pool in self.pools.items()}

    def idle(self) -> dict[str, float]:
        return {name: pool.driver.get_idle_size() for name, pool in self.pools.items()}
