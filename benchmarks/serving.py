"""Reads over HTTP from memory, against Sanic's hello-world, and against the same list made of Tortoise objects."""

import itertools
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import asyncpg

from benchmarks.client import get, load
from benchmarks.reading import POSTS, filled
from benchmarks.report import Report
from benchmarks.stage import api, core_apart, keep_to, make_agents, run
from deploy.local.postgresql import PostgreSQL

LIST = "/api/threads?limit=50"
THREAD = 500_001
# One backend that makes changes at a rate, each in a commit of its own; synchronous_commit is off, for the disk is not
# what is measured.
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
    """The rivals and the api one after the other, each on the same core."""
    with alone(url, core, "benchmarks.hello") as address:
        hello = {
            connections: rate_of(address, get("/api/health"), connections, seconds) for connections in (1, 32, 128)
        }
    with alone(url, core) as address:
        measure_memory(report, address, hello, seconds)
        measure_changes(report, address, url, hello[32], seconds)
        measure_private(report, address, token, hello[32], seconds)
        ours = rate_of(address, get(LIST), 32, seconds)
    with alone(url, core, "benchmarks.tortoise_list") as address:
        report.add("list / the same list of Tortoise objects, 32", ours / rate_of(address, get(LIST), 32, seconds), 20)


@contextmanager
def alone(url: str, core: int | None, module: str = "services.api") -> Iterator[str]:
    """An api process (or the rival in `module`) on a core of its own: its address."""
    with api(url, module) as (address, pid):
        if core is not None:
            keep_to([core], pid)
        yield address


def measure_memory(report: Report, address: str, hello: dict[int, float], seconds: float) -> None:
    """What is in memory and does not change; at one connection the median time is the inverse of the rate."""
    for connections, target in ((1, 0.33), (32, 0.95), (128, 1.0)):
        rate = rate_of(address, get(LIST), connections, seconds)
        report.add(f"list of 50 threads / hello-world, {connections}", rate / hello[connections], target)
    with urllib.request.urlopen(address + LIST) as answer:
        tag = answer.headers["ETag"]
    unchanged = get(LIST)[:-2] + f"If-None-Match: {tag}\r\n\r\n".encode()
    report.add("304 for the list / hello-world, 32", rate_of(address, unchanged, 32, seconds, 304) / hello[32], 1.1)
    for name, path in (
        ("thread page", f"/api/threads/{THREAD}"),
        ("feed", "/feed.json"),
        ("activity at its end", f"/api/activity?after={POSTS}"),
    ):
        report.add(f"{name} / hello-world, 32", rate_of(address, get(path), 32, seconds) / hello[32], 0.9)


def measure_changes(report: Report, address: str, url: str, hello: float, seconds: float) -> None:
    """The list while every change of the board ends it."""
    for rate, target in ((100, 0.9), (500, 0.55)):
        with changing(url, rate, seconds + 1):
            served = rate_of(address, get(LIST), 32, seconds)
        report.add(f"list at {rate} changes a second / hello-world, 32", served / hello, target)


@contextmanager
def changing(url: str, rate: int, seconds: float) -> Iterator[None]:
    """Changes that end every list, at a steady rate."""

    async def change() -> None:
        connection = await asyncpg.connect(url)
        await connection.execute(CHANGES.format(count=int(rate * seconds), rate=rate))
        await connection.close()

    with ThreadPoolExecutor(1) as thread:
        changes = thread.submit(run, change)
        yield
        changes.result()


def measure_private(report: Report, address: str, token: str, hello: float, seconds: float) -> None:
    """What belongs to the caller alone comes from PostgreSQL."""
    for path in ("/api/inbox", "/api/notifications", "/api/home"):
        request = get(path)[:-2] + f"Authorization: Bearer {token}\r\n\r\n".encode()
        report.add(f"{path} / hello-world, 32", rate_of(address, request, 32, seconds) / hello)


def rate_of(address: str, request: bytes, connections: int, seconds: float, status: int = 200) -> float:
    """Answers a second."""
    rate, statuses = run(load, address, itertools.repeat(request), connections, seconds)
    if set(statuses) != {status}:
        raise RuntimeError(f"unexpected answers {statuses} to {request!r}")
    return rate
