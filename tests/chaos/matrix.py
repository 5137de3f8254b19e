"""The run of several rows on one board, with a line for each."""

import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from tests.chaos.board import Skipped
from tests.chaos.clocks import clocks_in
from tests.chaos.row import Row
from tests.chaos.run import measured
from tests.chaos.stack_board import stack_board
from tests.chaos.starting import local_board

Say = Callable[[str], None]


async def run_rows(
    rows: Sequence[Row], folder: Path, place: str, seconds: float, say: Say = print
) -> dict[str, list[str]]:
    """Run rows, with faults of this many seconds, and say a line for each; return the broken promises by row."""
    broken: dict[str, list[str]] = {}
    try:
        async with board_of(place, folder) as board:
            for row in rows:
                if why := reason_to_skip(row, place):
                    say(f"{row.name:<22} {why}")
                elif found := await run_row(row, board, folder, seconds, say):
                    broken[row.name] = found
            if place == "processes":
                say(f"After all rows, the API processes use {', '.join(board.memory())} MiB.")
    except Skipped as reason:
        broken["board"] = [str(reason)]
        say(str(reason))
    say(summary(broken))
    return broken


def summary(broken: dict[str, list[str]]) -> str:
    return f"Broken promises: {', '.join(broken)}." if broken else "All promises were kept."


def reason_to_skip(row: Row, place: str) -> str:
    """Return why a row does not run, with the tests that prove it instead; nothing if it runs."""
    if row.fault is None:
        return f"proved by {', '.join(row.tests)}"
    return "" if place in row.places else f"runs on {row.places[0]} only"


async def run_row(row: Row, board: Any, folder: Path, seconds: float, say: Say) -> list[str]:
    """Run one row, say its line, and return the promises that it broke."""
    began = time.monotonic()
    try:
        async with board_for(row, board, folder) as its_board:
            figures = await measured(row, its_board, seconds)
            if figures.broken:
                await its_board.mend()
    except Skipped as reason:
        say(f"{row.name:<22} skipped: {reason}")
        return []
    verdict = "BROKEN" if figures.broken else "kept"
    say(f"{row.name:<22} {verdict:<6} {figures.line}  ({time.monotonic() - began:.0f} s)")
    for what in figures.broken:
        say(f"{'':<22} {row.promise}: {what}")
    return figures.broken


@asynccontextmanager
async def board_of(place: str, folder: Path) -> AsyncIterator[Any]:
    """The board that most rows share."""
    boards: dict[str, Callable[[], AbstractAsyncContextManager[Any]]] = {
        "processes": lambda: local_board(folder, clocks=clocks_in(folder)),
        "stack": stack_board,
    }
    async with boards[place]() as board:
        yield board


@asynccontextmanager
async def board_for(row: Row, board: Any, folder: Path) -> AsyncIterator[Any]:
    """The shared board, or one whose database has a disk of its own."""
    if row.disk is None:
        yield board
        return
    with contextlib.ExitStack() as stack:
        disk = stack.enter_context(row.disk())
        async with local_board(folder / row.name, disk) as own:
            yield own
