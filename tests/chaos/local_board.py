"""The board on this machine: the programs that `make run` starts, with proxies before its two stores."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import psutil

from services.board.database.migrations import migrate
from services.local.errors import LocalError
from services.local.postgresql import PostgreSQL
from services.local.server import Server
from tests.chaos.board import Rows, Skipped
from tests.chaos.clocks import Clock, ClockedPostgreSQL, ClockedValkey
from tests.chaos.load_balancer import LoadBalancer, load_balancer
from tests.limiter.outages import Site
from tests.limiter.processes import LimiterProcess
from tests.operations.hand import KEY, SIGNER
from tests.processes import ApiProcess, FanoutProcess, started_together
from tests.proxy import Proxy

Part = ApiProcess | Server | LoadBalancer
API_REPLICAS, FANOUT_REPLICAS = 3, 2
START_ATTEMPTS = 20
QUOTA, WINDOW = 20, 2
# on a small disk, the log of the load alone must not fill it
SMALL_LOG = {"max_wal_size": "64MB"}
NO_SETTINGS: Mapping[str, str] = {}
NO_CLOCKS: Mapping[str, Clock] = {}
SETTINGS = {
    "BASE_URL": "http://board.test",
    "LOG_LEVEL": "warning",
    # longer than the load balancer takes to see that a replica is not ready
    "DRAIN_NOTICE_SECONDS": "1",
    # short, so that many windows pass; the limits of other calls would stop the load
    "LIMIT_POSTS": f"{QUOTA}/{WINDOW}",
    "LIMIT_VOTES": "10000/60",
    "LIMIT_ACCOUNT": "10000/60",
    "LIMIT_REGISTRATIONS": "10000/60",
    "LIMIT_FAILED_LOGINS": "500/60",
    "LOG_KEY": KEY,
}


@dataclass
class LocalBoard(Site):
    """Processes of this machine. `servers` ends PostgreSQL and those that took its place."""

    postgresql: PostgreSQL
    fanouts: list[FanoutProcess]
    database: Proxy
    store: Proxy
    servers: ExitStack
    balancer: LoadBalancer | None
    disk: Path | None
    clocks: Mapping[str, Clock]
    name = "processes"
    quota, window, pause = QUOTA, WINDOW, 0.2
    fault_seconds = (1.0, 4.0)
    log_key = SIGNER.verifier_key(1)

    @property
    def urls(self) -> list[str]:
        """The addresses of the API processes and of the load balancer."""
        return [*super().urls, *([self.balancer.url] if self.balancer else [])]

    def parts(self, service: str) -> Sequence[Part]:
        """Return the replicas of a service. Raises Skipped for a load balancer that is not there."""
        found: dict[str, Sequence[Part]] = {
            "api": self.apis,
            "fanout": self.fanouts,
            "limiter": [self.limiter],
            "valkey": [self.valkey],
            "postgresql": [self.postgresql],
        }
        if service == "balancer":
            return [self.gate]
        return found[service]

    @property
    def gate(self) -> LoadBalancer:
        """The load balancer. Raises Skipped without one."""
        if self.balancer is None:
            raise Skipped("HAProxy is missing")
        return self.balancer

    def memory(self) -> list[str]:
        """Return the memory of each API process, in MiB."""
        return [f"{psutil.Process(api.running.pid).memory_info().rss / 2**20:.0f}" for api in self.apis]

    def lead(self, server: PostgreSQL) -> None:
        """Let new connections lead to another server."""
        self.postgresql, self.database.target = server, server.port

    def replicas(self, service: str) -> int:
        return len(self.parts(service))

    async def query(self, statement: str) -> Rows:
        connection = await asyncpg.connect(self.postgresql.url())
        try:
            return [[str(value) for value in row] for row in await connection.fetch(statement)]
        finally:
            await connection.close()

    async def operate(self, *words: str) -> bool:
        """Run the operator's command, past every fault of the connections; return whether it succeeded."""
        # it takes a second to import
        from tests.operator.conftest import Command

        return (await Command(self.postgresql.url())(*words))[0] == 0

    async def kill(self, service: str, number: int = 0) -> None:
        await asyncio.to_thread(self.parts(service)[number].kill)
        await self.start(service, number)

    async def stop(self, service: str, number: int = 0) -> None:
        part = self.parts(service)[number]
        await asyncio.to_thread(part.terminate if isinstance(part, ApiProcess) else part.stop)

    async def start(self, service: str, number: int = 0) -> None:
        """Start a replica. One that ends because of another fault is started again, as an engine does."""
        for _ in range(START_ATTEMPTS):
            with suppress(AssertionError, LocalError):
                await asyncio.to_thread(self.parts(service)[number].start)
                return
        raise TimeoutError(f"{service} did not start in {START_ATTEMPTS} attempts")

    async def freeze(self, service: str, number: int = 0) -> None:
        for process in processes_of(self.parts(service)[number]):
            with suppress(psutil.NoSuchProcess):
                process.suspend()

    async def thaw(self, service: str, number: int = 0) -> None:
        for process in processes_of(self.parts(service)[number]):
            with suppress(psutil.NoSuchProcess):
                process.resume()

    async def mend(self) -> None:
        for proxy in (self.database, self.store):
            proxy.silent, proxy.delay = False, 0.0
            proxy.thaw()
        for service in ("postgresql", "valkey", "limiter", "fanout", "api", *(["balancer"] if self.balancer else [])):
            for number, part in enumerate(self.parts(service)):
                if is_dead(part):
                    await self.start(service, number)
                await self.thaw(service, number)
        for process in (self.limiter, *self.fanouts, *self.apis):
            await asyncio.to_thread(process.wait_until_ready)

    async def unwell(self) -> Sequence[str]:
        processes = [self.limiter, *self.fanouts, *self.apis]
        answers = await asyncio.gather(*(asyncio.to_thread(process.operator, "/readyz") for process in processes))
        return [process.log.parent.name for process, answer in zip(processes, answers, strict=True) if answer[0] != 200]


def is_dead(part: Part) -> bool:
    return (part.running.poll() if isinstance(part, ApiProcess | LoadBalancer) else part.child.exit_code) is not None


def processes_of(part: Part) -> list[psutil.Process]:
    """Return a part's process and all below it, the oldest first."""
    first = psutil.Process(part.pid if isinstance(part, Server) else part.running.pid)
    return [first, *first.children(recursive=True)]


@asynccontextmanager
async def local_board(
    folder: Path,
    disk: Path | None = None,
    kind: type[ApiProcess] = ApiProcess,
    settings: Mapping[str, str] = NO_SETTINGS,
    replicas: int = API_REPLICAS,
    clocks: Mapping[str, Clock] = NO_CLOCKS,
) -> AsyncIterator[LocalBoard]:
    """A new board below a folder, with its database on a disk of its own if there is one.

    The API processes are of this kind; the settings are those of all processes. It has a verifiable log. The first
    replica of each service has the clock of its name.
    """
    log = log_in(folder)
    async with AsyncExitStack() as stack:
        servers = stack.enter_context(ExitStack())
        place = (disk or folder) / "postgresql"
        postgresql = ClockedPostgreSQL(place, settings=SMALL_LOG if disk else {}, log=log, throwaway=True)
        valkey = ClockedValkey(folder / "valkey")
        postgresql.clock, valkey.clock = clocks.get("postgresql"), clocks.get("valkey")
        servers.enter_context(postgresql)
        stack.enter_context(valkey)
        await migrate(postgresql.url(), lambda _: None, postgresql.reading_url())
        database = await stack.enter_async_context(Proxy(postgresql.port))
        store = await stack.enter_async_context(Proxy(valkey.port))
        with_settings = {**SETTINGS, **settings}
        limiter = LimiterProcess(store.url(valkey.url()), folder / "limiter", **with_settings)
        with_settings["LIMITER_URL"] = limiter.url
        with_settings["READ_DATABASE_URL"] = database.url(postgresql.reading_url())
        url = database.url(postgresql.url())
        balancer = load_balancer(folder / "balancer", BASE_URL=SETTINGS["BASE_URL"])
        places = [balancer.place(number) if balancer else {} for number in range(replicas)]
        apis = [kind(url, folder / f"api{number}", **with_settings, **place) for number, place in enumerate(places)]
        fanouts = [FanoutProcess(url, folder / f"fanout{number}", **with_settings) for number in range(FANOUT_REPLICAS)]
        for service, process in (("limiter", limiter), ("fanout", fanouts[0]), ("api", apis[0])):
            process.env |= clocks[service].variables if clocks else {}
        await stack.enter_async_context(started([limiter, *fanouts, *apis]))
        if balancer:
            stack.enter_context(balancer).call(replicas)
        yield LocalBoard(valkey, limiter, apis, postgresql, fanouts, database, store, servers, balancer, disk, clocks)


def log_in(folder: Path) -> Path:
    """Return the path of the database's log in a folder, which is made if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "postgresql.log"


@asynccontextmanager
async def started(processes: list[ApiProcess]) -> AsyncIterator[None]:
    """Start processes in another thread: they connect through proxies that run in this one."""
    running = started_together(processes)
    await asyncio.to_thread(running.__enter__)
    try:
        yield
    finally:
        await asyncio.to_thread(running.__exit__, None, None, None)
