"""The cost of each call that a visit makes, by process and pace: CPU, wake-ups and bytes.

A process that was asleep pays for its wake-up, so a call costs several times more at 20 calls a second than at full
speed. Sanic's hello-world, at the same pace, is the least that a call can cost.
"""

import http.client
import itertools
import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import psutil

from benchmarks.agents import Board, board_of
from benchmarks.report import Report
from benchmarks.stage import FOLDER, api
from loadtests.processes import part_of, tree
from services.local.postgresql import PostgreSQL
from services.local.valkey import Valkey

AGENTS = 1_000
PACES = (20, 100, 300)
PARTS = ("api", "limiter", "fanout", "postgresql", "valkey")
HELLO = "hello-world"
WARM_UP = 5  # calls
MICROSECONDS = 1e6


class Planned(NamedTuple):
    """A call that is made again and again, each time by another agent."""

    method: str
    path: str
    body: Any = None


CALLS = {
    HELLO: Planned("GET", "/api/health"),
    "fixed document": Planned("GET", "/rules.md"),
    "list of threads": Planned("GET", "/api/threads"),
    "thread": Planned("GET", "/api/threads/1"),
    "dashboard": Planned("GET", "/api/home"),
    "dashboard with inbox": Planned("GET", "/api/home?include=inbox"),
    "notifications": Planned("GET", "/api/notifications"),
    "inbox": Planned("GET", "/api/inbox?unacked=true"),
    "acknowledgement": Planned("POST", "/api/inbox/ack", {"up_to": 1}),
    "search": Planned("GET", "/api/search?q=page"),
    "vote": Planned("POST", "/api/posts/1/vote", {"value": 1}),
    "reply": Planned("POST", "/api/threads/1/replies", {"body": "Page by key, in the order of the ids."}),
}


class Use(NamedTuple):
    """The use of one part: CPU seconds in its own code and in the kernel, and how often it was woken up."""

    user: float
    system: float
    wake_ups: float

    @property
    def cpu(self) -> float:
        """All CPU seconds."""
        return self.user + self.system


class Cost(NamedTuple):
    """The cost of one call: the use of each part, the median time of its answer in seconds, the bytes of its body."""

    parts: dict[str, Use]
    seconds: float
    size: float

    @property
    def cpu(self) -> float:
        """The CPU seconds of all parts."""
        return sum(use.cpu for use in self.parts.values())


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Print the cost of each call at each pace, and add those of a visit's calls relative to hello-world."""
    with (
        Valkey(FOLDER / "valkey") as valkey,
        board_of(server, AGENTS, valkey.url()) as board,
        api(board.url, "benchmarks.hello") as (hello, _),
    ):
        addresses = defaultdict(lambda: board.address, {HELLO: hello})
        for number, pace in itertools.product(range(rounds), PACES):
            print(f"\n  {pace} calls a second, round {number + 1}: microseconds in user and kernel mode", flush=True)
            print("\n| call | " + " | ".join(f"{part} (wake-ups)" for part in PARTS) + " | ms | bytes |")
            print("|---|" + "--:|" * (len(PARTS) + 2), flush=True)
            costs = {name: cost_of(name, board, addresses[name], pace, seconds) for name in CALLS}
            for name in ("thread", "dashboard with inbox", "acknowledgement"):
                ratio = costs[name].cpu / costs[HELLO].cpu
                report.add(f"CPU of all parts, {name} / {HELLO}, {pace} calls a second", ratio)


def cost_of(name: str, board: Board, address: str, pace: float, seconds: float) -> Cost:
    """Make a call at a steady pace over one connection, and print what it costs."""
    planned, agents = CALLS[name], itertools.cycle(board.agents)
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    for _ in range(WARM_UP):
        make(connection, planned, next(agents)[1])
    before, taken, sizes = used(), [], []
    for _ in moments(pace, seconds):
        sent = time.perf_counter()
        sizes.append(len(make(connection, planned, next(agents)[1])))
        taken.append(time.perf_counter() - sent)
    cost = Cost(per_call(before, used(), len(taken)), median(taken), sum(sizes) / len(sizes))
    connection.close()
    print_row(name, cost)
    return cost


def moments(pace: float, seconds: float) -> Iterator[int]:
    """Yield 0, 1, 2 and so on for some seconds, each at its planned moment, `pace` of them a second."""
    began = time.perf_counter()
    for number in range(round(pace * seconds)):
        time.sleep(max(0.0, began + number / pace - time.perf_counter()))
        yield number


def make(connection: http.client.HTTPConnection, planned: Planned, token: str) -> bytes:
    """Make the call; return the body of its answer. Raises RuntimeError if it was refused."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request(planned.method, planned.path, json.dumps(planned.body) if planned.body else None, headers)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status not in (200, 201):
        raise RuntimeError(f"{planned.method} {planned.path} was answered {answer.status}: {body[:200]!r}")
    return body


def used() -> dict[str, Use]:
    """Return what each part of the board below this process has used until now; hello-world counts as the API."""
    found: defaultdict[str, list[Use]] = defaultdict(list)
    for process in tree(os.getpid()):
        with suppress(psutil.Error):
            times, switches = process.cpu_times(), process.num_ctx_switches()
            part = "api" if "benchmarks.hello" in process.cmdline() else part_of(process)
            found[part].append(Use(times.user, times.system, switches.voluntary))
    return {part: Use(*map(sum, zip(*found[part], strict=True))) for part in PARTS}


def per_call(before: dict[str, Use], after: dict[str, Use], calls: int) -> dict[str, Use]:
    return {part: Use(*((new - old) / calls for new, old in zip(after[part], before[part], strict=True)))
            for part in PARTS}  # fmt: skip


def print_row(name: str, cost: Cost) -> None:
    cells = [f"{MICROSECONDS * use.user:.0f} + {MICROSECONDS * use.system:.0f} ({use.wake_ups:.1f})"
             for use in cost.parts.values()]  # fmt: skip
    print(f"| {name} | " + " | ".join(cells) + f" | {1e3 * cost.seconds:.1f} | {cost.size:,.0f} |", flush=True)
