"""Reads over HTTP from memory, relative to Sanic's hello-world and to the same list built from Tortoise objects."""

import itertools
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import asyncpg

from benchmarks.client import get, rate_of
from benchmarks.reading import POSTS, filled
from benchmarks.report import Report
from benchmarks.stage import TURNS, api, core_apart, keep_to, make_agents, run
from deploy.local.postgresql import PostgreSQL

LIST = "/api/threads?limit=50"
THREAD = 500_001
# One session makes changes at a steady rate, each in its own commit. synchronous_commit is off because the disk is not
# being measured.
CHANGES = """
DO $$
DECLARE
    began timestamptz := clock_timestamp();
BEGIN
    SET synchronous_commit = off;
    FOR number IN 1 .. {count} LOOP
        PERFORM append_change('vote', 1, 1, 'general');
        COMMIT;
        PERFORM pg_sleep(extract(epoch FROM began + number * interval '1 second' / {rate} - clock_timestamp()));
    END LOOP;
END $$
"""


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the rows of serving to the report."""
    url = filled(server)
    token = next(iter(run(make_agents, url, 1)))
    with core_apart() as core:
        for number in range(rounds):
            print(f"  serving, round {number + 1} of {rounds}", flush=True)
            measure_round(report, url, token, core, seconds)


def measure_round(report: Report, url: str, token: str, core: int | None, seconds: float) -> None:
    """Measure the API process and its rivals, one at a time on the same core."""
    with alone(url, core) as address:
        with alone(url, core, "benchmarks.hello") as hello:
            contest = Contest(address, hello, get("/api/health"), seconds)
            measure_memory(report, contest)
            measure_changes(report, contest, url)
            measure_private(report, contest, token)
        with alone(url, core, "benchmarks.tortoise_list") as tortoise:
            factor = Contest(address, tortoise, get(LIST), seconds).ratio(get(LIST), 32)
            report.add("list / the same list from Tortoise objects, 32", factor, 20)


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
        for connections in (1, 32, 128):
            ratio = contest.ratio(request, connections, status)
            report.add(f"{name} / hello-world, {connections}", ratio, 0.6 if connections == 32 else None)
    for name, path in (
        ("feed", "/feed.json"),
        ("activity at its end", f"/api/activity?after={POSTS}"),
    ):
        report.add(f"{name} / hello-world, 32", contest.ratio(get(path), 32))


def measure_changes(report: Report, contest: Contest, url: str) -> None:
    """Measure the list while every change on the board invalidates it."""
    for rate in (100, 500):
        with changing(url, rate, 2 * contest.seconds + 2):
            ratio = contest.ratio(get(LIST), 32)
        report.add(f"list at {rate} changes per second / hello-world, 32", ratio)


@contextmanager
def changing(url: str, rate: int, seconds: float) -> Iterator[None]:
    """Make changes that invalidate every list, at a steady rate."""

    async def change() -> None:
        connection = await asyncpg.connect(url)
        await connection.execute(CHANGES.format(count=int(rate * seconds), rate=rate))
        await connection.close()

    with ThreadPoolExecutor(1) as thread:
        changes = thread.submit(run, change)
        yield
        changes.result()


def measure_private(report: Report, contest: Contest, token: str) -> None:
    """Measure private reads, which come from PostgreSQL."""
    for path in ("/api/inbox", "/api/notifications", "/api/home"):
        request = get(path)[:-2] + f"Authorization: Bearer {token}\r\n\r\n".encode()
        report.add(f"{path} / hello-world, 32", contest.ratio(request, 32))
