"""The fanout process: one worker per consumer of the log, started and stopped by the lifecycle.

Any number of them may run at once: whoever holds a consumer's cursor works, the others wait for their turn.
"""

import asyncio

from services.board import database, errors
from services.board.process.lifecycle import Lifecycle, StartError
from services.board.process.metrics import Registry
from services.board.process.settings import Settings

from .inbox_statistics import InboxStatistics
from .inboxes import Inboxes
from .search_index import SearchIndex
from .worker import Worker


class Fanout:
    """The fanout process, as its lifecycle sees it."""

    name = "fanout"

    def __init__(self, settings: Settings, registry: Registry) -> None:
        self.settings = settings
        url = settings.database_url.get_secret_value()
        consumers = SearchIndex(registry), Inboxes(registry), InboxStatistics(registry)
        self.workers = [Worker(consumer, url) for consumer in consumers]

    async def start(self, lifecycle: Lifecycle) -> None:
        """Wait for the schema, then follow the log. Raises StartError."""
        settings = self.settings
        try:
            await database.wait_for_revision(settings.database_url.get_secret_value(), settings.revision_wait_seconds)
        except errors.Unavailable as error:
            raise StartError(str(error)) from None
        for worker in self.workers:
            lifecycle.watch(worker.start())

    async def ready(self) -> str | None:
        """Why a consumer does not follow the log now."""
        return next((reason for worker in self.workers if (reason := worker.trouble()) is not None), None)

    def live(self) -> str | None:
        """Why only a restart would help: a loop that stands still. One that ended stops the process by itself."""
        return next((reason for worker in self.workers if (reason := worker.standstill()) is not None), None)

    async def quiet(self) -> None:
        """Nobody calls: there is nobody to be turned away."""

    async def stop_accepting(self) -> None:
        """Begin no further step."""
        for worker in self.workers:
            worker.stopping.set()

    async def finish(self, seconds: float) -> None:
        """Finish the steps in hand. Raises TimeoutError when that takes longer than so many seconds."""
        async with asyncio.timeout(seconds):
            for worker in self.workers:
                await worker.ended()

    async def close(self) -> None:
        """Cut off what is left, and the connections. A step that is cut off has happened as a whole or not at all."""
        for worker in self.workers:
            await worker.close()
