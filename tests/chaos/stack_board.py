"""The board in containers, behind its load balancer."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from deploy.compose.errors import StackError
from deploy.compose.stack import Container
from deploy.environment import CHECKOUT
from tests.chaos.board import Skipped
from tests.history.audited import Rows
from tests.stack import make
from tests.stack.conftest import started
from tests.stack.engine import NoEngine, engine
from tests.stack.local_images import local_images

SEPARATOR = "|"
START_SECONDS = 120


class StackBoard:
    """Containers of an engine. The engine itself restarts those that were killed."""

    name, generous = "stack", False
    # LIMIT_POSTS of the stack under test, and a pause well below the load balancer's limit for one address
    quota, window, pause = 100, 60, 1.5
    fault_seconds = (1.0, 4.0)
    log_key = ""

    def __init__(self, board: make.Board) -> None:
        self.board = board

    @property
    def urls(self) -> list[str]:
        return [self.board.url]

    def replicas(self, service: str) -> int:
        return make.SERVICES[service]

    async def query(self, statement: str) -> Rows:
        lines = (await asyncio.to_thread(self.board.sql, statement)).splitlines()
        return [line.split(SEPARATOR) for line in lines]

    async def operate(self, *words: str) -> bool:
        """Run the operator's command; return whether it succeeded."""
        command = ("exec", "-T", "--env", "AGENT_BOARD_OPERATOR=olga", "api", "agent-board", *words)
        with suppress(StackError):
            await asyncio.to_thread(self.board.stack.ask, *command)
            return True
        return False

    async def kill(self, service: str, number: int = 0) -> None:
        container = await self.container(service, number)
        await asyncio.to_thread(self.board.kill, container)
        await asyncio.to_thread(self.board.until_restarted, container)
        await self.until(service, number, lambda each: each.status == "running")

    async def stop(self, service: str, number: int = 0) -> None:
        await self.docker("stop", "--time", "60", (await self.container(service, number)).id)

    async def start(self, service: str, number: int = 0) -> None:
        await self.docker("start", (await self.container(service, number)).id)
        await self.until(service, number, lambda each: each.well)

    async def freeze(self, service: str, number: int = 0) -> None:
        await self.docker("pause", (await self.container(service, number)).id)

    async def thaw(self, service: str, number: int = 0) -> None:
        await self.docker("unpause", (await self.container(service, number)).id)

    async def mend(self) -> None:
        for service in make.SERVICES:
            for container in await asyncio.to_thread(self.board.containers, service):
                if container.status == "paused":
                    await self.docker("unpause", container.id)
                elif container.status == "exited":
                    await self.docker("start", container.id)
        await asyncio.to_thread(self.board.until_well)

    async def unwell(self) -> Sequence[str]:
        well = await asyncio.to_thread(self.board.well)
        return [name for name, count in make.SERVICES.items() if well[name] != count]

    async def until(self, service: str, number: int, is_so: Callable[[Container], bool]) -> None:
        """Wait for the state of a replica. Raises TimeoutError."""
        async with asyncio.timeout(START_SECONDS):
            while not is_so(await self.container(service, number)):  # noqa: ASYNC110 - the engine is asked
                await asyncio.sleep(0.2)

    async def container(self, service: str, number: int) -> Container:
        return (await asyncio.to_thread(self.board.containers, service))[number]

    async def docker(self, *arguments: str) -> None:
        await asyncio.to_thread(self.board.stack.docker, *arguments, seconds=120)


@asynccontextmanager
async def stack_board() -> AsyncIterator[StackBoard]:
    """A stack of this checkout, started from nothing and removed at the end. Raises Skipped without an engine."""
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        try:
            with engine(), started(local_images(), Path(folder), CHECKOUT) as board:
                yield StackBoard(board)
        except NoEngine as reason:
            raise Skipped(f"no container engine answers here: {reason}") from None
