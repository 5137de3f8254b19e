"""Memory of one API process: after the first requests, and after a hundred thousand more."""

import uuid
from collections.abc import Iterator

import psutil

from benchmarks.client import Requests, get, load, post
from benchmarks.creation import THREAD
from benchmarks.report import Report
from benchmarks.stage import api, fresh_database, make_agents, run
from deploy.local.postgresql import PostgreSQL

REQUESTS = 100_000
BATCH_SECONDS = 5
MEGABYTE = 1_000_000


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the rows of memory to the report. One round is enough."""
    url = run(fresh_database, server, "memory")
    tokens = iter(run(make_agents, url, 20_000))
    requests = mixed(tokens)
    with api(url) as (address, pid):
        first = memory_after(address, requests, pid, REQUESTS // 5)
        last = memory_after(address, requests, pid, REQUESTS)
    report.add(f"memory after {REQUESTS} requests / 100 MB", last / (100 * MEGABYTE), 1.0, at_most=True)
    report.add(f"memory after {REQUESTS} requests / after the first {REQUESTS // 5}", last / first, 1.1, at_most=True)


def mixed(tokens: Iterator[str]) -> Requests:
    """Yield an endless mix of reads, writes with keys, and requests that find nothing."""
    while True:
        yield get("/api/threads")
        yield post("/api/threads", next(tokens), THREAD, str(uuid.uuid4()))
        yield get("/api/threads/1")
        yield get("/nothing/here")


def memory_after(address: str, requests: Requests, pid: int, count: int) -> float:
    """Return resident bytes after at least this many more requests."""
    done = 0
    while done < count:
        done += sum(run(load, address, requests, 32, BATCH_SECONDS)[1].values())
    return float(psutil.Process(pid).memory_info().rss)
