"""Reads over HTTP from memory, relative to Sanic's hello-world."""

import itertools
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from benchmarks.client import get, rate_of
from benchmarks.population import filled
from benchmarks.report import Report
from benchmarks.stage import TURNS, api, core_apart, keep_to, run
from benchmarks.targets import STORED_TO_HELLO_WORLD
from services.local.postgresql import PostgreSQL

LIST = "/api/threads?limit=50"
THREAD = 500_001


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the rows of serving to the report."""
    url = filled(server)
    with core_apart() as core:
        for number in range(rounds):
            print(f"  serving, round {number + 1} of {rounds}", flush=True)
            measure_round(report, url, core, seconds)


def measure_round(report: Report, url: str, core: int | None, seconds: float) -> None:
    """Measure the API process and its rival, one at a time on the same core."""
    with alone(url, core) as address, alone(url, core, "benchmarks.hello") as hello:
        measure_memory(report, Contest(address, hello, get("/api/health"), seconds))


@contextmanager
def alone(url: str, core: int | None, module: str = "services.api", **settings: str) -> Iterator[str]:
    """Run an API process (or the rival in `module`) on that core and yield its address."""
    with api(url, module, **settings) as (address, pid):
        if core is not None:
            keep_to([core], pid)
        yield address


@dataclass(frozen=True)
class Contest:
    """Compares the API process at `ours` with a rival that always answers the same request."""

    ours: str
    rival: str
    request: bytes
    seconds: float

    def ratio(self, request: bytes, connections: int, status: int = 200) -> float:
        """Return our rate divided by the rival's, in short turns, because the speed of a shared machine varies."""
        ours = theirs = 0.0
        for _ in range(TURNS):
            theirs += self.rate(self.rival, self.request, connections, 200)
            ours += self.rate(self.ours, request, connections, status)
        return ours / theirs

    def rate(self, address: str, request: bytes, connections: int, status: int) -> float:
        """Return answers per second in one turn."""
        return run(rate_of, address, itertools.repeat(request), connections, self.seconds / TURNS, [status])


def measure_memory(report: Report, contest: Contest) -> None:
    """Measure cached answers that do not change. With one connection, the rate is the inverse of the mean time."""
    with urllib.request.urlopen(contest.ours + LIST) as answer:
        tag = answer.headers["ETag"]
    unchanged = get(LIST)[:-2] + f"If-None-Match: {tag}\r\n\r\n".encode()
    for name, request, status in (
        ("thread page", get(f"/api/threads/{THREAD}"), 200),
        ("list of 50 threads", get(LIST), 200),
        ("304 for the list", unchanged, 304),
    ):
        for connections in STORED_TO_HELLO_WORLD:
            ratio = contest.ratio(request, connections, status)
            report.add(f"{name} / hello-world, {connections}", ratio, STORED_TO_HELLO_WORLD[connections])
