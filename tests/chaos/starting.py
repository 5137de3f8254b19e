"""Starts the programs of a board on this machine: those of `make run`, with proxies."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path

import asyncpg

from services.board.access.rates import set_rate
from services.board.database.creation import create_database
from services.board.database.migrations import migrate
from services.contract.limits import Rate
from services.local.postgresql import DATABASE
from tests.chaos.clocks import Clock, ClockedPostgreSQL, ClockedValkey, clocks_in, remove_leftovers
from tests.chaos.database import small_disk
from tests.chaos.local_board import QUOTA, WINDOW, LocalBoard, Skipped
from tests.limiter.processes import LimiterProcess
from tests.operations.hand import KEY
from tests.processes import ApiProcess, FanoutProcess, started_together
from tests.proxy import Proxy

API_REPLICAS, FANOUT_REPLICAS = 2, 2
# the log of the load must not fill a small disk by itself
SMALL_LOG = {"max_wal_size": "64MB"}
NO_CLOCKS: Mapping[str, Clock] = {}
SETTINGS = {
    "BASE_URL": "http://board.test",
    "LOG_LEVEL": "warning",
    # short, so that many windows pass
    "LIMIT_POSTS": f"{QUOTA}/{WINDOW}",
    "LIMIT_REGISTRATIONS": "10000/60",
    "LOG_KEY": KEY,
}
WIDE = {"votes": Rate(10_000, 60), "account": Rate(10_000, 60), "failed_logins": Rate(500, 60)}


@asynccontextmanager
async def whole_board(folder: Path) -> AsyncIterator[LocalBoard]:
    """A new board below a folder, with a small disk and clocks. Those that this machine cannot have are printed."""
    with ExitStack() as stack:
        disk = None
        try:
            disk = stack.enter_context(small_disk())
        except Skipped as reason:
            print(f"No disk is filled: {reason}.")
        async with local_board(folder, disk, clocks_in(folder)) as board:
            yield board


@asynccontextmanager
async def local_board(
    folder: Path, disk: Path | None = None, clocks: Mapping[str, Clock] = NO_CLOCKS
) -> AsyncIterator[LocalBoard]:
    """A new board below a folder, with its database on a disk of its own if there is one.

    It has a verifiable log. The first replica of each service has the clock of its name.
    """
    async with AsyncExitStack() as stack:
        stack.callback(remove_leftovers)
        servers = stack.enter_context(ExitStack())
        place, log = (disk or folder) / "postgresql", folder / "postgresql.log"
        postgresql = ClockedPostgreSQL(place, settings=SMALL_LOG if disk else {}, log=log, throwaway=True)
        valkey = ClockedValkey(folder / "valkey")
        postgresql.clock, valkey.clock = clocks.get("postgresql"), clocks.get("valkey")
        servers.enter_context(postgresql)
        stack.enter_context(valkey)
        url = postgresql.url(DATABASE)
        await create_database(postgresql.url(), DATABASE)
        await migrate(url, lambda _: None, postgresql.reading_url(DATABASE))
        await widen(url)
        database = await stack.enter_async_context(Proxy(postgresql.port))
        store = await stack.enter_async_context(Proxy(valkey.port))
        with_settings = dict(SETTINGS)
        limiter = LimiterProcess(store.url(valkey.url()), folder / "limiter", **with_settings)
        with_settings["LIMITER_URL"] = limiter.url
        with_settings["READ_DATABASE_URL"] = database.url(postgresql.reading_url(DATABASE))
        url = database.url(url)
        apis = [ApiProcess(url, folder / f"api{number}", **with_settings) for number in range(API_REPLICAS)]
        fanouts = [FanoutProcess(url, folder / f"fanout{number}", **with_settings) for number in range(FANOUT_REPLICAS)]
        for service, process in (("limiter", limiter), ("fanout", fanouts[0]), ("api", apis[0])):
            process.env |= clocks[service].variables if clocks else {}
        await stack.enter_async_context(started([limiter, *fanouts, *apis]))
        yield LocalBoard(valkey, limiter, apis, postgresql, fanouts, database, store, servers, disk, clocks)


async def widen(url: str) -> None:
    """Widen the limits that would stop the load."""
    connection = await asyncpg.connect(url)
    try:
        for name, rate in WIDE.items():
            await set_rate(connection, name, rate, "chaos")
    finally:
        await connection.close()


@asynccontextmanager
async def started(processes: list[ApiProcess]) -> AsyncIterator[None]:
    """Start processes in another thread: they connect through proxies that run in this one."""
    running = started_together(processes)
    await asyncio.to_thread(running.__enter__)
    try:
        yield
    finally:
        await asyncio.to_thread(running.__exit__, None, None, None)
