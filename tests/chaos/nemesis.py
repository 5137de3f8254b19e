"""Faults that a seed chooses, one to three at a time, each of another part of the board; or one fault by itself."""

import asyncio
import math
import random
import time
from dataclasses import dataclass, field

import asyncpg

from tests.chaos.local_board import LocalBoard, Skipped
from tests.chaos.row import Row, Trial
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
        "backends-ended", "head-held", "snapshot-held", "standby-promoted",
    ),
    "disk": ("disk-full",),
    "clock": tuple(row.name for row in ROWS if "-clock-" in row.name),
    "network": ("commit-cut", "connections-frozen", "network-silent", "network-slow"),
}  # fmt: skip
FAULTS = [(part, name) for part, names in PARTS.items() for name in names]
BY_NAME = {row.name: row for row in ROWS}
AT_ONCE = (1, 2, 2, 3)
POSTS_BETWEEN = 10
RECOVERY_SECONDS = 120.0
IMPOSSIBLE = (OSError, ValueError, Skipped, asyncpg.PostgresError, asyncpg.InterfaceError)


def choose(chance: random.Random, count: int) -> list[Row]:
    """Return this many faults, each of another part."""
    chosen: dict[str, Row] = {}
    for part, name in chance.sample(FAULTS, len(FAULTS)):
        if len(chosen) < count:
            chosen.setdefault(part, BY_NAME[name])
    return list(chosen.values())


@dataclass
class Round:
    """Some faults at the same time, from their beginning until the board has recovered, and their measurements."""

    names: list[str]
    began: float = field(default_factory=time.monotonic)
    ended: float = math.inf
    recovered: float = 0.0
    more: dict[str, object] = field(default_factory=dict)


class Nemesis:
    """Disturbs a board. Only the seed decides the faults, their order and their times, unless only one may happen.

    Each fault lasts between the two `lasts`, in seconds.
    """

    def __init__(self, board: LocalBoard, traffic: Traffic, seed: int, only: str, lasts: tuple[float, float]) -> None:
        self.board, self.traffic, self.only, self.lasts = board, traffic, only, lasts
        self.chance = random.Random(f"nemesis {seed}")
        self.rounds: list[Round] = []
        self.broken: list[str] = []

    async def strike(self, seconds: float) -> None:
        """Disturb the board for this long, one round after the other; the last one may end later."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await self.round()

    async def round(self) -> None:
        """Let some faults happen at the same time, and wait until the board has recovered. Raises TimeoutError.

        It recovers by itself from a single fault.
        """
        chosen = choose(self.chance, self.chance.choice(AT_ONCE))
        rows = [BY_NAME[self.only]] if self.only else chosen
        trials = [self.trial(self.chance.uniform(*self.lasts)) for _ in rows]
        self.rounds.append(this := Round([row.name for row in rows]))
        self.traffic.history.note("nemesis", "disturb", {"faults": this.names}, {})
        await asyncio.gather(*(self.let(row, trial) for row, trial in zip(rows, trials, strict=True)))
        if not self.only:
            await self.board.mend()
            trials[0].healed = time.monotonic()
        this.recovered = await recovered(trials[0])
        await self.traffic.progress(POSTS_BETWEEN)
        this.ended = time.monotonic()
        this.more = {name: value for trial in trials for name, value in trial.more.items()}

    def trial(self, seconds: float) -> Trial:
        chance = random.Random(self.chance.random())
        return Trial(self.board, self.traffic.callers, self.traffic, seconds, alone=bool(self.only), chance=chance)

    async def let(self, row: Row, trial: Trial) -> None:
        """Let one fault happen, unless another one makes it impossible. Its own findings count, too."""
        assert row.fault is not None
        trial.began = time.monotonic()
        impossible = () if trial.alone else IMPOSSIBLE
        try:
            async with row.fault(trial):
                await trial.rest()
                trial.healed = trial.healed or time.monotonic()
        except* impossible as failure:
            self.traffic.history.note("nemesis", "impossible", {"fault": row.name, "why": repr(failure)}, {})
        self.broken += [f"{row.name}: {what}" for what in trial.broken]


async def recovered(trial: Trial) -> float:
    """Return after how many seconds every replica is ready and has acknowledged a write. Raises TimeoutError."""
    async with asyncio.timeout(RECOVERY_SECONDS):
        while any(trial.callers.served.get(url, 0.0) < trial.healed for url in trial.callers.urls):
            trial.traffic.raise_failure()
            await asyncio.sleep(0.02)
        seconds = max(trial.callers.served.values()) - trial.healed
        while await trial.board.unwell():  # noqa: ASYNC110 - processes become ready outside
            await asyncio.sleep(0.2)
    return seconds
