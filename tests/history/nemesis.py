"""Faults that a seed chooses, one to three at a time: those of the fault matrix, each of another part of the board."""

import asyncio
import random
import time
from typing import Any

import asyncpg

from deploy.compose.errors import StackError
from tests.chaos.board import Skipped
from tests.chaos.row import Row, Trial
from tests.chaos.run import recovered
from tests.chaos.table import ROWS
from tests.history.traffic import Traffic

# the rows of each part; two faults of one part could undo each other
PARTS = {
    "api": ("api-killed", "api-frozen", "api-rolled"),
    "fanout": ("fanout-killed", "fanout-frozen", "fanout-away"),
    "limiter": ("limiter-killed", "limiter-frozen"),
    "valkey": (
        "valkey-killed", "valkey-frozen", "valkey-restarted", "valkey-flushed", "valkey-evicts", "valkey-full",
    ),
    "store": ("valkey-silent",),
    "postgresql": (
        "postgresql-killed", "postgresql-restarted", "postgresql-away", "postgresql-frozen", "backend-frozen",
        "backends-ended", "head-held", "snapshot-held", "standby-promoted", "restored",
    ),
    "disk": ("disk-full",),
    "clock": tuple(row.name for row in ROWS if "-clock-" in row.name),
    "network": ("commit-cut", "connections-frozen", "network-silent", "network-slow"),
    "balancer": ("balancer-killed", "balancer-frozen", "balancer-restarted", "balancer-reloaded"),
    "clients": ("clients-trickle",),
}  # fmt: skip
FAULTS = [(part, name) for part, names in PARTS.items() for name in names]
BY_NAME = {row.name: row for row in ROWS}
AT_ONCE = (1, 2, 2, 3)
POSTS_BETWEEN = 10
IMPOSSIBLE = (OSError, ValueError, StackError, Skipped, asyncpg.PostgresError, asyncpg.InterfaceError)


def choose(chance: random.Random, count: int, place: str, only: str = "") -> list[Row]:
    """Return this many faults of a board, each of another part."""
    if only:
        return [BY_NAME[only]]
    chosen: dict[str, Row] = {}
    for part, name in chance.sample(FAULTS, len(FAULTS)):
        if len(chosen) < count and place in BY_NAME[name].places:
            chosen.setdefault(part, BY_NAME[name])
    return list(chosen.values())


class Nemesis:
    """Disturbs a board. The seed alone decides the faults, their order and their times, unless only one may happen."""

    def __init__(self, board: Any, traffic: Traffic, seed: int, only: str = "") -> None:
        self.board, self.traffic, self.seed, self.only = board, traffic, seed, only
        self.chance = random.Random(f"nemesis {seed}")
        self.rounds: list[list[str]] = []
        self.broken: list[str] = []

    async def strike(self, seconds: float) -> None:
        """Disturb the board for this long, one round after the other; the last one may end later."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await self.round()

    async def round(self) -> None:
        """Let some faults happen at the same time, and wait until the board has recovered. Raises TimeoutError."""
        rows = choose(self.chance, self.chance.choice(AT_ONCE), self.board.name, self.only)
        trials = [self.trial(self.chance.uniform(*self.board.fault_seconds)) for _ in rows]
        self.rounds.append([row.name for row in rows])
        self.traffic.history.note("nemesis", "disturb", {"faults": self.rounds[-1]}, {})
        await asyncio.gather(*(self.let(row, trial) for row, trial in zip(rows, trials, strict=True)))
        await self.board.mend()
        trials[0].healed = time.monotonic()
        await recovered(trials[0])
        await self.traffic.progress(POSTS_BETWEEN)

    def trial(self, seconds: float) -> Trial[Any]:
        chance = random.Random(self.chance.random())
        return Trial(self.board, self.traffic.callers, self.traffic, seconds, alone=False, chance=chance)

    async def let(self, row: Row, trial: Trial[Any]) -> None:
        """Let one fault happen, unless another one makes it impossible. Its own findings count, too."""
        assert row.fault is not None
        trial.began = time.monotonic()
        try:
            async with row.fault(trial):
                await trial.rest()
        except* IMPOSSIBLE as failure:
            self.traffic.history.note("nemesis", "impossible", {"fault": row.name, "why": repr(failure)}, {})
        self.broken += [f"{row.name}: {what}" for what in trial.broken]
