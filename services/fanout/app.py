"""The fan-out process: one worker per consumer of the log, started and stopped by the lifecycle.

Any number of these processes may run: a step skips the cursors that another process has locked.
"""

import asyncio
from collections.abc import Sequence

from services.board import errors
from services.board.database import readiness
from services.board.database.admission import Admission
from services.board.verifiable_log.signing import Signer
from services.process.lifecycle import Lifecycle, StartError
from services.process.metrics import Registry
from services.process.settings import Settings

from .checkpoints import Checkpoints
from .inboxes import Inboxes
from .newcomers import Newcomers
from .search_index import SearchIndex
from .upkeep import InTurn, Recounts, Restorations
from .worker import Consumer, Worker


class Fanout:
    """The fan-out process; implements services.process.lifecycle.Process."""

    name = "fanout"

    def __init__(self, settings: Settings, registry: Registry) -> None:
        self.admission = Admission(settings.database_url.get_secret_value())
        key = settings.log_key
        signers = (Checkpoints(Signer(key.get_secret_value()), registry),) if key else ()
        consumers: Sequence[Consumer] = (
            SearchIndex(registry),
            Inboxes(registry),
            *signers,
            InTurn(Restorations(), Recounts()),
            Newcomers(registry),
        )
        self.workers = [Worker(consumer, self.admission, registry) for consumer in consumers]

    async def start(self, lifecycle: Lifecycle) -> None:
        """Wait for the schema, then follow the log. Raises StartError if the schema is missing."""
        try:
            await readiness.wait_for_revision(self.admission.url, readiness.WAIT_SECONDS)
        except errors.Unavailable as error:
            raise StartError(str(error)) from None
        for worker in self.workers:
            lifecycle.watch(worker.start())

    async def ready(self) -> str | None:
        """Return the reason why a consumer does not follow the log now, or None."""
        return next((reason for worker in self.workers if (reason := worker.trouble()) is not None), None)

    def live(self) -> str | None:
        """Return the reason why only a restart would help: a loop is stuck. A loop that ends stops the process."""
        return next((reason for worker in self.workers if (reason := worker.standstill()) is not None), None)

    async def quiet(self) -> None:
        """Do nothing: this process has no clients."""

    async def stop_accepting(self) -> None:
        """Let no worker begin another step."""
        for worker in self.workers:
            worker.stopping.set()

    async def finish(self, seconds: float) -> None:
        """Wait for the steps in flight. Raises TimeoutError if they take longer than `seconds`."""
        async with asyncio.timeout(seconds):
            for worker in self.workers:
                await worker.ended()

    async def close(self) -> None:
        """Cancel remaining steps and close the connections. A cancelled step has happened completely or not at all."""
        for worker in self.workers:
            await worker.close()
        await self.admission.close()
