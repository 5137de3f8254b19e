"""The CPU of a visit at 10 to 200 visits a second, by process, for agents that look in and for agents that write.

A process that was asleep pays for its wake-up, and some work is done whether or not anybody visits. So the CPU of a
visit depends on the pace, and one point shows nothing of another.
"""

import os
import time
from collections import deque
from itertools import product
from statistics import median

from benchmarks.agents import PARTS, Use, board_of, measure_visits
from benchmarks.report import Report
from benchmarks.stage import FOLDER
from benchmarks.targets import FAILED_CALLS
from loadtests.processes import Processes
from loadtests.profiles.profile import EVERYDAY, PUBLISHING
from services.local.postgresql import PostgreSQL
from services.local.valkey import Valkey

AGENTS = 10_000  # more than visits, or some agents would find their inbox empty after an earlier visit
PACES = (10, 30, 100, 200)
STRETCH = 4  # a measurement takes four times the chosen seconds
WRITERS = sum(EVERYDAY[name] for name in PUBLISHING)
MIXES = {"visitor": {"visitor": 1.0}, "writer": {name: EVERYDAY[name] / WRITERS for name in sorted(PUBLISHING)}}
COLUMNS = ("visits/s", "calls", *(f"{part} us" for part in PARTS), "together us", "reached visits/s")
Curve = dict[tuple[str, int], list[Use]]


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Print the curve of each mix, and add the CPU of a visit at the highest pace relative to the lowest."""
    curve: Curve = {}
    with Valkey(FOLDER / "valkey") as valkey, board_of(server, AGENTS, valkey.url()) as board:
        agents = deque(board.agents)
        for number, name in product(range(rounds), MIXES):
            for pace in PACES:
                print(f"  {name}, {pace} visits a second, round {number + 1} of {rounds}", flush=True)
                visits = round(STRETCH * seconds * pace)
                agents.rotate(visits)
                use = measure_visits(
                    board._replace(agents=[*agents][:visits]), visits / pace, number, pace, MIXES[name]
                )
                curve.setdefault((name, pace), []).append(use)
                report.add(f"calls that failed, {name}, {pace} visits a second", use.failed, FAILED_CALLS)
            least, most = (curve[name, pace][-1].seconds for pace in (PACES[0], PACES[-1]))
            report.add(f"CPU of a visit, {name}, {PACES[-1]} a second / {PACES[0]}", most / least)
        print_idle(STRETCH * seconds)
    print_curve(curve)


def print_idle(seconds: float) -> None:
    """Print what each part uses while nobody visits, in microseconds of CPU for a second."""
    processes, pid = Processes(os.getpid()), os.getpid()
    before = processes.seconds(pid)
    time.sleep(seconds)
    after = processes.seconds(pid)
    used = {part: 1e6 * (after[part] - before[part]) / seconds for part in PARTS}
    print("\nus a second without visits: " + ", ".join(f"{part} {cpu:,.0f}" for part, cpu in used.items()))


def print_curve(curve: Curve) -> None:
    """Print the medians over all rounds, one line for each mix and pace."""
    print("\n| mix | " + " | ".join(COLUMNS) + " |\n|---" + "|--:" * len(COLUMNS) + "|")
    for (name, pace), uses in curve.items():
        rows = [(*(use.cpu[part] / use.visits for part in PARTS), use.seconds) for use in uses]
        cells = [f"{1e6 * median(column):,.0f}" for column in zip(*rows, strict=True)]
        calls = median(use.calls / use.visits for use in uses)
        reached = median(use.visits / use.elapsed for use in uses)
        print(f"| {name} | {pace} | {calls:.1f} | " + " | ".join(cells) + f" | {reached:.0f} |")
