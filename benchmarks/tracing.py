"""The cost of spans: the CPU of an API process for a list from memory, with all requests sampled, with 1 %, without.

A collector on this machine takes the spans and forgets them.
"""

import itertools
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psutil

from benchmarks.client import get, rate_of
from benchmarks.report import Report
from benchmarks.stage import TURNS, api, fresh_database, run
from deploy.local.postgresql import PostgreSQL

LIST = get("/api/threads")
CONNECTIONS = 32
SAMPLED = {
    "all requests": {},
    "1 % of the requests": {"OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.01"},
}


class Collector(BaseHTTPRequestHandler):
    """Takes what is sent over OTLP."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the cost of spans to the report."""
    url = run(fresh_database, server, "tracing")
    with collector() as endpoint, ExitStack() as started:
        without = started.enter_context(api(url))
        traced = {name: started.enter_context(api(url, OTEL_EXPORTER_OTLP_ENDPOINT=endpoint, **sampler))
                  for name, sampler in SAMPLED.items()}  # fmt: skip
        for number in range(rounds):
            print(f"  tracing, round {number + 1} of {rounds}", flush=True)
            for name, board in traced.items():
                turns = [(cpu_of(*without, seconds / TURNS), cpu_of(*board, seconds / TURNS)) for _ in range(TURNS)]
                bare, costly = map(sum, zip(*turns, strict=True))
                report.add(f"CPU of a list from memory, spans of {name} / without spans", costly / bare)


@contextmanager
def collector() -> Iterator[str]:
    """Run a collector, and yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def cpu_of(address: str, pid: int, seconds: float) -> float:
    """Return the CPU seconds of an API process for one list."""
    process = psutil.Process(pid)
    before = sum(process.cpu_times()[:2])
    rate = run(rate_of, address, itertools.repeat(LIST), CONNECTIONS, seconds)
    return (sum(process.cpu_times()[:2]) - before) / (rate * seconds)
