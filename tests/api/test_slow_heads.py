"""The limit of heads is kept for every connection, whatever is wrong with another one."""

import asyncio
from types import SimpleNamespace
from typing import Any

from sanic.http.constants import Stage

from services.api.http.slow_heads import SlowHeads
from services.process.metrics import Registry
from tests.metrics import metric
from tests.posts.locks import until


class Broken:
    """A connection whose state cannot be read."""

    @property
    def http(self) -> Any:
        raise AttributeError("a fault of the board")


class Slow:
    """A connection with half a head."""

    def __init__(self) -> None:
        self.http = SimpleNamespace(stage=Stage.REQUEST)
        self.ctx = SimpleNamespace()
        self.transport = self
        self.aborted = False

    def abort(self) -> None:
        self.aborted = True


async def test_a_connection_that_cannot_be_read_does_not_keep_the_others() -> None:
    registry, slow = Registry(), Slow()
    watching = asyncio.create_task(SlowHeads(lambda: [Broken(), slow], 0.05, registry).watch())

    async def aborted() -> bool:
        return slow.aborted

    await until(aborted)
    assert not watching.done()
    assert metric(registry, 'agent_board_background_errors_total{task="slow-heads"}') >= 1
    watching.cancel()
