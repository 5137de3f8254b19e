"""The board on this machine: the programs that `make run` starts, with proxies."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
import psutil

from services.local.errors import LocalError
from services.local.postgresql import DATABASE, PostgreSQL
from services.local.server import Server
from tests.chaos.clocks import Clock
from tests.history.audited import Rows
from tests.limiter.outages import Site
from tests.operations.hand import SIGNER
from tests.processes import ApiProcess, FanoutProcess
from tests.proxy import Proxy

Part = ApiProcess | Server
START_ATTEMPTS = 20
QUOTA, WINDOW = 20, 2


class Skipped(Exception):
    """The reason why a fault cannot happen here, in one sentence."""


@dataclass
class LocalBoard(Site):
    """Processes of this machine. `servers` ends PostgreSQL and those that took its place."""

    postgresql: PostgreSQL
    fanouts: list[FanoutProcess]
    database: Proxy
    store: Proxy
    servers: ExitStack
    disk: Path | None
    clocks: Mapping[str, Clock]
    starting: defaultdict[tuple[str, int], asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    quota, window, pause = QUOTA, WINDOW, 0.2
    log_key = SIGNER.verifier_key(1)

    def parts(self, service: str) -> Sequence[Part]:
        """Return the replicas of a service."""
        found: dict[str, Sequence[Part]] = {
            "api": self.apis,
            "fanout": self.fanouts,
            "limiter": [self.limiter],
            "valkey": [self.valkey],
            "postgresql": [self.postgresql],
        }
        return found[service]

    @property
    def url(self) -> str:
        """The address of the database, past every fault of the network."""
        return self.postgresql.url(DATABASE)

    def lead(self, server: PostgreSQL) -> None:
        """Let new connections lead to another server."""
        self.postgresql, self.database.target = server, server.port

    def replicas(self, service: str) -> int:
        """Return how many replicas a service has."""
        return len(self.parts(service))

    async def query(self, statement: str) -> Rows:
        connection = await asyncpg.connect(self.url)
        try:
            return [[str(value) for value in row] for row in await connection.fetch(statement)]
        finally:
            await connection.close()

    async def operate(self, *words: str) -> bool:
        """Run the operator's command, past every fault of the connections; return whether it succeeded."""
        # it takes a second to import
        from tests.operator.conftest import Command

        return (await Command(self.url)(*words))[0] == 0

    async def kill(self, service: str, number: int = 0) -> None:
        """Kill a replica with SIGKILL, and return when it has been started again."""
        await asyncio.to_thread(self.parts(service)[number].kill)
        await self.start(service, number)

    async def stop(self, service: str, number: int = 0) -> None:
        """Stop a replica in order."""
        part = self.parts(service)[number]
        await asyncio.to_thread(part.terminate if isinstance(part, ApiProcess) else part.stop)

    async def start(self, service: str, number: int = 0) -> None:
        """Start a replica. One that ends because of another fault is started again, as an engine does."""
        part = self.parts(service)[number]
        async with self.starting[service, number]:
            for _ in range(START_ATTEMPTS):
                if not is_dead(part):
                    return
                with suppress(AssertionError, LocalError):
                    await asyncio.to_thread(part.start)
            raise TimeoutError(f"{service} did not start in {START_ATTEMPTS} attempts")

    async def freeze(self, service: str, number: int = 0) -> None:
        """Stop all processes of a replica with SIGSTOP."""
        for process in processes_of(self.parts(service)[number]):
            with suppress(psutil.NoSuchProcess):
                process.suspend()

    async def thaw(self, service: str, number: int = 0) -> None:
        """Let a frozen replica continue."""
        for process in processes_of(self.parts(service)[number]):
            with suppress(psutil.NoSuchProcess):
                process.resume()

    async def mend(self) -> None:
        """Start and continue what a fault has left dead or frozen, and wait until everything is ready."""
        for proxy in (self.database, self.store):
            proxy.silent, proxy.delay = False, 0.0
            proxy.thaw()
        for service in ("postgresql", "valkey", "limiter", "fanout", "api"):
            for number, part in enumerate(self.parts(service)):
                if is_dead(part):
                    await self.start(service, number)
                await self.thaw(service, number)
        for process in (self.limiter, *self.fanouts, *self.apis):
            await asyncio.to_thread(process.wait_until_ready)

    async def unwell(self) -> Sequence[str]:
        """Return the names of the replicas that are not ready."""
        processes = [self.limiter, *self.fanouts, *self.apis]
        answers = await asyncio.gather(*(asyncio.to_thread(process.operator, "/readyz") for process in processes))
        return [process.log.parent.name for process, answer in zip(processes, answers, strict=True) if answer[0] != 200]


def is_dead(part: Part) -> bool:
    return (part.running.poll() if isinstance(part, ApiProcess) else part.child.exit_code) is not None


def processes_of(part: Part) -> list[psutil.Process]:
    """Return a part's process and all below it, the oldest first."""
    first = psutil.Process(part.pid if isinstance(part, Server) else part.running.pid)
    return [first, *first.children(recursive=True)]
