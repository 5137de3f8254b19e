"""A whole board with 1,000 to 100,000 agents: the cost of a visit, and whether it grows with the number of agents.

The journeys and their shares are those of the load tests. Visits arrive at a fixed rate, about a quarter of what two
cores carry together with the process that visits, each by another agent at random. Before, every agent has called once.
"""

import itertools
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from statistics import median
from typing import Any, NamedTuple

import asyncpg

from benchmarks.client import get
from benchmarks.limiting import warm_up
from benchmarks.population import communities_of, populate
from benchmarks.report import Report
from benchmarks.stage import FOLDER, ROOT, fresh_database, make_agents, run
from benchmarks.targets import FAILED_CALLS, GROWTH_OF_A_VISIT
from benchmarks.writing import until_indexed, whole_board
from loadtests.processes import Processes
from loadtests.profiles.profile import EVERYDAY
from services.local.postgresql import PostgreSQL
from services.local.valkey import Valkey

SIZES = (1_000, 10_000, 100_000)
VISITS_PER_SECOND, STRETCH = 20, 4  # a measurement takes four times the chosen seconds
MEGABYTE = 1_000_000
PARTS = ("api", "limiter", "fanout", "postgresql", "valkey")
HEADER = (
    "visits",
    "calls",
    "failed",
    *(f"{part} us" for part in PARTS),
    "WAL bytes",
    *(f"{part} MB" for part in PARTS),
    "connections",
)
POSITION = "SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8"
CONNECTIONS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


class Board(NamedTuple):
    """A board that runs: its database, its address, its communities, and the names and tokens of its agents."""

    url: str
    address: str
    communities: list[str]
    agents: list[tuple[str, str]]


class Use(NamedTuple):
    """The resources that some visits used: CPU seconds and bytes of memory by part, bytes of log, connections.

    Memory that processes share is divided among them. `elapsed` is in seconds, from the first visit to the last answer.
    """

    visits: int
    calls: int
    failed: int
    cpu: dict[str, float]
    memory: dict[str, float]
    log: float
    connections: int
    elapsed: float

    @property
    def seconds(self) -> float:
        """CPU seconds of all parts for one visit."""
        return sum(self.cpu.values()) / self.visits

    @property
    def cells(self) -> list[float]:
        """The columns of the table."""
        cpu = (1e6 * self.cpu[part] / self.visits for part in PARTS)
        memory = (self.memory[part] / MEGABYTE for part in PARTS)
        return [*self[:3], *cpu, self.log / self.visits, *memory, self.connections]


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the growth of a visit's cost to the report, and print the cost at each size."""
    uses: dict[int, list[Use]] = {}
    for size in SIZES:
        print(f"  a board with {size:,} agents", flush=True)
        with Valkey(FOLDER / "valkey") as valkey, board_of(server, size, valkey.url()) as board:
            uses[size] = [measure_visits(board, STRETCH * seconds, number) for number in range(rounds)]
    for least, *larger in zip(*uses.values(), strict=True):
        for size, use in zip(SIZES[1:], larger, strict=True):
            name = f"CPU of a visit, {size:,} agents / {SIZES[0]:,} agents"
            report.add(name, use.seconds / least.seconds, GROWTH_OF_A_VISIT)
        report.add("calls of visits that failed", sum(use.failed for use in (least, *larger)), FAILED_CALLS)
    print_table(uses)


@contextmanager
def board_of(server: PostgreSQL, size: int, redis_url: str, **settings: str) -> Iterator[Board]:
    """Run a board with this many agents, each of which has called once, and extra settings of the API process."""
    url = run(fresh_database, server, "agents")
    tokens = run(make_agents, url, size).tokens
    run(populate, url, size)
    with whole_board(url, redis_url, **settings) as address:
        warm_up(address, map(first_call, itertools.cycle(tokens)), size)
        os.sync()  # or the flushes of the visits would wait for the rows that were just inserted
        named = [(f"agent-{number}", token) for number, token in enumerate(tokens, 1)]
        yield Board(url, address, communities_of(size), named)


def first_call(token: str) -> bytes:
    return get("/api/threads?limit=1")[:-2] + f"Authorization: Bearer {token}\r\n\r\n".encode()


def measure_visits(
    board: Board, seconds: float, number: int, pace: float = VISITS_PER_SECOND, mix: Mapping[str, float] = EVERYDAY
) -> Use:
    """Let agents visit for some seconds, `pace` of them a second.

    Each journey has exactly its share of the visits, in random order.
    """
    chance = random.Random(number)
    visits = round(pace * seconds)
    journeys = [name for name, share in mix.items() for _ in range(round(share * visits))]
    chance.shuffle(journeys)
    task = {
        "board": board.address,
        "agents": chance.sample(board.agents, min(visits, len(board.agents))),
        "journeys": journeys,
        "communities": board.communities,
        "newest": run(value_of, board.url, "SELECT last_id FROM log_head"),
        "rate": pace,
        "seed": number,
    }
    processes, pid = Processes(os.getpid()), os.getpid()
    with visitor(task) as visit:
        before, log = processes.seconds(pid), run(value_of, board.url, POSITION)
        found = visit()
        run(until_indexed, board.url)
        after, log = processes.seconds(pid), run(value_of, board.url, POSITION) - log
    cpu = {part: after[part] - before[part] for part in PARTS}
    connections = run(value_of, board.url, CONNECTIONS)
    counts, memory = (len(journeys), found["calls"], found["failed"]), memory_of(processes)
    use = Use(*counts, cpu, memory, log, connections, found["seconds"])
    print("\n".join([f"    {1e3 * use.seconds:.1f} ms of CPU for a visit", *found["faults"]]), flush=True)
    return use


@contextmanager
def visitor(task: dict[str, Any]) -> Iterator[Callable[[], Any]]:
    """Start the process that visits; yield a function that lets it begin, and returns what it found."""
    command = [sys.executable, "-m", "benchmarks.visits"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def tell(line: str) -> str:
            print(line, file=process.stdin, flush=True)
            return process.stdout.readline() if process.stdout else ""

        tell(json.dumps(task))
        yield lambda: json.loads(tell("begin"))


async def value_of(url: str, query: str) -> Any:
    connection = await asyncpg.connect(url)
    found = await connection.fetchval(query)
    await connection.close()
    return found


def memory_of(processes: Processes) -> dict[str, float]:
    """Return the bytes of each part."""
    found = dict.fromkeys(PARTS, 0.0)
    for process, part in processes.parts.items():
        if part in found and process.is_running():
            found[part] += process.memory_full_info().pss
    return found


def print_table(uses: dict[int, list[Use]]) -> None:
    """Print the medians over all rounds, one line for each number of agents."""
    print("\n| agents | " + " | ".join(HEADER) + " |")
    print("|--:" * (1 + len(HEADER)) + "|")
    for size, rounds in uses.items():
        cells = [median(column) for column in zip(*(use.cells for use in rounds), strict=True)]
        print(f"| {size:,} | " + " | ".join(f"{cell:,.0f}" for cell in cells) + " |")
