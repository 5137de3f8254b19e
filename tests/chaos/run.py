"""One run: a board, clients and operators on it, faults by a seed or a single one, and the verdict of the judges."""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.figures import failures, line, seconds_of, unborne
from tests.chaos.local_board import LocalBoard, Skipped
from tests.chaos.nemesis import BY_NAME, Nemesis, Round
from tests.chaos.row import ANYTHING
from tests.history.callers import Callers
from tests.history.ending import read_what_is_late, settle
from tests.history.judges import judged
from tests.history.linear import not_linear
from tests.history.operators import withdraw
from tests.history.record import Call, save
from tests.history.traffic import Traffic, flood, read_log

CALM_POSTS = 20
DELIVERY_SECONDS = 60.0
LONGEST_SHOWN = 5
FAULT_SECONDS = (1.0, 4.0)


@dataclass
class Verdict:
    """The result of a run: the broken promises by judge, and its calls and faults."""

    seed: int
    calls: list[Call]
    rounds: list[Round]
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
            "faults": sum(len(each.names) for each in self.rounds),
            "violations": sum(map(len, self.broken.values())),
        }
        return f"seed {self.seed}  " + "  ".join(f"{name} {count}" for name, count in figures.items())

    @property
    def lines(self) -> list[str]:
        """The figures of each round on one line."""
        return [
            f"{' '.join(each.names):<22} {line(self.calls, each.began, each.ended, each.recovered, each.more)}"
            for each in self.rounds
        ]

    @property
    def findings(self) -> list[str]:
        """The first broken promises of each judge."""
        return [f"{name}: {what}" for name, found in self.broken.items() for what in found[:LONGEST_SHOWN]]


async def run(
    board: LocalBoard,
    seed: int,
    seconds: float,
    clients: int,
    file: Path,
    *,
    signed: bool = True,
    only: str = "",
    lasts: tuple[float, float] = FAULT_SECONDS,
) -> Verdict:
    """Disturb a board for this long, keep the calls of its clients in a file, and judge them. Raises Skipped.

    With `signed`, the last posts must be in the verifiable log, which takes some 10 seconds. `only` names the fault if
    the seed chooses none, and `lasts` bounds the seconds of each.
    """
    async with Callers(board.urls) as callers:
        traffic = Traffic(callers, board, clients, seed)
        nemesis = Nemesis(board, traffic, seed, only, lasts)
        try:
            await observe(traffic, nemesis, seconds, signed=signed)
        except* Skipped as reasons:
            raise Skipped(str(reasons.exceptions[0])) from None
        except* Exception as failure:  # noqa: BLE001 - a run that cannot finish has broken its promise
            nemesis.broken.append(f"the board did not go on after {nemesis.rounds[-1:]}: {failure.exceptions}")
            await board.mend()
        finally:
            await read_log(board, traffic)
            save(traffic.history.calls, file)
    calls = traffic.history.calls
    others = {"nemesis": nemesis.broken, "failures": not_borne(calls, only)}
    others["linear"] = await asyncio.to_thread(not_linear, calls)
    broken = judged(calls) | {name: found for name, found in others.items() if found}
    return Verdict(seed, calls, nemesis.rounds, broken)


async def observe(traffic: Traffic, nemesis: Nemesis, seconds: float, *, signed: bool) -> None:
    """Let clients act in the calm, under faults and afterwards, when they read all that the board still has."""
    async with traffic:
        await traffic.progress(CALM_POSTS)
        await disturb(traffic, nemesis, seconds)
    last = await settle(traffic, DELIVERY_SECONDS)
    await read_what_is_late(traffic, last, DELIVERY_SECONDS, signed=signed)


async def disturb(traffic: Traffic, nemesis: Nemesis, seconds: float) -> None:
    """Let the nemesis act, an operator, and an agent that publishes too much."""
    board, chance = nemesis.board, random.Random(traffic.seed)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(withdraw(traffic, board.operate, chance))
        tasks.create_task(flood(traffic, chance, board.window))
        try:
            await nemesis.strike(seconds)
        finally:
            traffic.ending.set()


def not_borne(calls: list[Call], only: str) -> list[str]:
    """Return the failures that the promise of a single fault does not allow; several faults together allow most."""
    if not only:
        return unborne(failures(calls), ANYTHING)
    row, took = BY_NAME[only], seconds_of(calls)
    late = [f"a call took {took[-1]:.0f} s"] if took and took[-1] > row.longest else []
    return [*unborne(failures(calls), row.bears), *late]
