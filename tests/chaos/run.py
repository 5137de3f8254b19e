"""The run of one row: load, the fault, recovery, and the same final check for every row."""

import asyncio
import time
from typing import Any

from tests.chaos.board import Audited, Skipped
from tests.chaos.callers import Callers
from tests.chaos.figures import Figures, longest_pause
from tests.chaos.row import Row, Trial
from tests.history.ending import settle
from tests.history.judges import judged
from tests.history.traffic import Traffic, read_log

CALM_POSTS = 20
RECOVERY_SECONDS = 120.0
DELIVERY_SECONDS = 60.0


async def measured(row: Row, board: Any, seconds: float) -> Figures:
    """Run a row for this many seconds on a board that is well; return its figures."""
    figures = Figures()
    async with Callers(board.urls) as callers:
        await disturb(row, Trial(board, callers, Traffic(callers, board), seconds), figures)
    return figures


async def disturb(row: Row, trial: Trial[Any], figures: Figures) -> None:
    """Put load on the board, break it, and judge what the load has seen."""
    callers, traffic = trial.callers, trial.traffic
    try:
        async with traffic:
            calm = time.monotonic()
            await traffic.progress(CALM_POSTS)
            await break_board(row, trial, figures)
            figures.p99_calm = callers.p99(calm, trial.began)
            figures.p99 = callers.p99(trial.began, time.monotonic())
            await traffic.progress(CALM_POSTS)
        await compare(figures, trial.board, traffic, DELIVERY_SECONDS)
    except Skipped:
        raise
    except Exception as error:  # noqa: BLE001 - a row that cannot finish has broken its promise
        trial.broken.append(f"{type(error).__name__}: {error}".strip(": "))
    figures.calls, figures.failures, figures.longest = len(callers.calls), callers.failures, callers.longest
    figures.more, figures.broken = trial.more, trial.broken
    figures.judge(row.bears)
    if figures.longest > row.longest:
        figures.broken.append(f"a call took longer than {row.longest:.0f} s")


async def break_board(row: Row, trial: Trial[Any], figures: Figures) -> None:
    """Let the fault happen, end it, and measure how long the board takes to recover."""
    assert row.fault is not None
    trial.began = time.monotonic()
    async with row.fault(trial):
        await trial.rest()
        trial.healed = trial.healed or time.monotonic()
    figures.recovered = await recovered(trial)


async def recovered(trial: Trial[Any]) -> float:
    """Return after how many seconds every replica is ready and has acknowledged a write. Raises TimeoutError."""
    async with asyncio.timeout(RECOVERY_SECONDS):
        while any(trial.callers.served.get(url, 0.0) < trial.healed for url in trial.callers.urls):
            trial.traffic.raise_failure()
            await asyncio.sleep(0.02)
        seconds = max(trial.callers.served.values()) - trial.healed
        while await trial.board.unwell():  # noqa: ASYNC110 - processes become ready outside
            await asyncio.sleep(0.2)
    return seconds


async def compare(figures: Figures, board: Audited, traffic: Traffic, seconds: float) -> None:
    """Judge the history of the load; the last events may be delivered this many seconds late."""
    await settle(traffic, seconds)
    await read_log(board, traffic)
    figures.violations = judged(traffic.history.calls)
    figures.acknowledged = len(traffic.acknowledged)
    figures.stalled = longest_pause(traffic.acknowledged)
