"""The board of a history, with every part that the nemesis can disturb on this machine."""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

from tests.chaos.board import Skipped
from tests.chaos.clocks import clocks_in
from tests.chaos.database import small_disk
from tests.chaos.local_board import LocalBoard
from tests.chaos.starting import local_board

REPLICAS = 2


@asynccontextmanager
async def history_board(folder: Path) -> AsyncIterator[LocalBoard]:
    """A new board below a folder. Parts that this machine cannot have are named on standard output."""
    with ExitStack() as stack:
        disk = None
        try:
            disk = stack.enter_context(small_disk())
        except Skipped as reason:
            print(f"No disk is filled: {reason}.")
        async with local_board(folder, disk, replicas=REPLICAS, clocks=clocks_in(folder)) as board:
            yield board
