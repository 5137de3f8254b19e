"""One run: a board, clients and operators on it, faults by a seed, and the verdict of the judges."""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.chaos.callers import Callers
from tests.history.ending import read_what_is_late, settle
from tests.history.judges import judged
from tests.history.linear import not_linear
from tests.history.nemesis import Nemesis
from tests.history.operators import withdraw
from tests.history.record import Call, save
from tests.history.traffic import Traffic, flood, read_log

DELIVERY_SECONDS = 60.0
LONGEST_SHOWN = 5


@dataclass
class Verdict:
    """The result of a run: the broken promises by judge, and its calls and faults."""

    seed: int
    calls: list[Call]
    rounds: list[list[str]]
    broken: dict[str, list[str]]

    @property
    def line(self) -> str:
        """The figures on one line."""
        outcomes = Counter(call.outcome for call in self.calls)
        figures = {
            "calls": len(self.calls),
            **{name: outcomes[name] for name in ("ok", "refused", "unknown")},
            "posts": sum(call.status == 201 and "number" in call.sent for call in self.calls),
            "rounds": len(self.rounds),
            "faults": sum(map(len, self.rounds)),
            "violations": sum(map(len, self.broken.values())),
        }
        return f"seed {self.seed}  " + "  ".join(f"{name} {count}" for name, count in figures.items())

    @property
    def findings(self) -> list[str]:
        """The first broken promises of each judge."""
        return [f"{name}: {what}" for name, found in self.broken.items() for what in found[:LONGEST_SHOWN]]


async def run(
    board: Any, seed: int, seconds: float, clients: int, file: Path, *, signed: bool = True, only: str = ""
) -> Verdict:
    """Disturb a board for this long, keep the calls of its clients in a file, and judge them.

    With `signed`, the last posts must be in the verifiable log, which takes some 10 seconds. `only` names the fault if
    the seed chooses none.
    """
    async with Callers(board.urls) as callers:
        traffic = Traffic(callers, board, clients, seed)
        nemesis = Nemesis(board, traffic, seed, only)
        try:
            async with traffic:
                await disturb(board, traffic, nemesis, seconds)
            last = await settle(traffic, DELIVERY_SECONDS)
            await read_what_is_late(traffic, last, DELIVERY_SECONDS, signed=signed)
        except* TimeoutError:
            nemesis.broken.append(f"the board did not go on after {nemesis.rounds[-1:]}")
        finally:
            await read_log(board, traffic)
            save(traffic.history.calls, file)
    calls = traffic.history.calls
    others = {"nemesis": nemesis.broken, "linear": await asyncio.to_thread(not_linear, calls)}
    broken = judged(calls) | {name: found for name, found in others.items() if found}
    return Verdict(seed, calls, nemesis.rounds, broken)


async def disturb(board: Any, traffic: Traffic, nemesis: Nemesis, seconds: float) -> None:
    """Let the nemesis, an operator and an agent that publishes too much act at the same time."""
    chance = random.Random(nemesis.seed)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(withdraw(traffic, board.operate, chance))
        tasks.create_task(flood(traffic, chance, board.window))
        try:
            await nemesis.strike(seconds)
        finally:
            traffic.ending.set()
