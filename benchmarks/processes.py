"""The costs that grow with the number of API processes: connections, memory, and the CPU of PostgreSQL.

The same reads arrive at the same pace, spread over 1, 4 and 16 processes, while others publish. Each process asks for
new changes by itself and fills a memory of its own, so more processes make more queries.
"""

import http.client
import itertools
import os
from collections.abc import Sequence
from contextlib import ExitStack
from urllib.parse import urlsplit

from benchmarks.agents import CONNECTIONS, MEGABYTE, memory_of, value_of
from benchmarks.calls import AGENTS, MICROSECONDS, WARM_UP, Planned, Use, make, moments, per_call, used
from benchmarks.population import populate
from benchmarks.report import Report
from benchmarks.stage import FOLDER, api, fanout, fresh_database, limiter, make_agents, run
from loadtests.processes import Processes
from services.local.postgresql import PostgreSQL
from services.local.valkey import Valkey

NUMBERS = (1, 4, 16)
PACE = 100  # calls a second, of all processes together
PUBLISHED_EVERY = 10  # calls
READS = [Planned("GET", path) for path in ("/api/threads", "/api/threads/1", "/api/agents", "/api/stats")]
REPLY = Planned("POST", "/api/threads/1/replies", {"body": "Page by key, in the order of the ids."})


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Print the costs with each number of processes, and add those of most processes relative to one."""
    url = run(fresh_database, server, "processes")
    tokens = run(make_agents, url, AGENTS).tokens
    run(populate, url, AGENTS)
    with Valkey(FOLDER / "valkey") as valkey, fanout(url), limiter(valkey.url()) as limiter_url:
        for number in range(rounds):
            print(f"\n  processes, round {number + 1} of {rounds}: for one call at {PACE} a second\n", flush=True)
            print("| API processes | API us | PostgreSQL us | wake-ups of PostgreSQL | connections | API MB |")
            print("|--:|--:|--:|--:|--:|--:|", flush=True)
            least, *_, most = [cost_of(url, limiter_url, count, tokens, seconds) for count in NUMBERS]
            for part in ("api", "postgresql"):
                ratio = most[part].cpu / least[part].cpu
                report.add(f"CPU of {part} for a call, {NUMBERS[-1]} API processes / {NUMBERS[0]}", ratio)


def cost_of(url: str, limiter_url: str, count: int, tokens: Sequence[str], seconds: float) -> dict[str, Use]:
    """Return what each part uses for one call with this number of processes."""
    with ExitStack() as stack:
        started = [stack.enter_context(api(url, LIMITER_URL=limiter_url)) for _ in range(count)]
        connections = [http.client.HTTPConnection(urlsplit(address).netloc, timeout=30) for address, _ in started]
        turns, agents, reads = itertools.cycle(connections), itertools.cycle(tokens), itertools.cycle(READS)
        for connection in connections * WARM_UP:
            make(connection, next(reads), next(agents))
        before, calls = used(), round(PACE * seconds)
        for number in moments(PACE, seconds):
            planned = REPLY if number % PUBLISHED_EVERY == 0 else next(reads)
            make(next(turns), planned, next(agents))
        cost = per_call(before, used(), calls)
        for connection in connections:
            connection.close()
        api_cost, postgresql = cost["api"], cost["postgresql"]
        processes = Processes(os.getpid())
        processes.seconds(os.getpid())  # finds them
        memory = memory_of(processes)["api"] / MEGABYTE
        print(f"| {count} | {MICROSECONDS * api_cost.cpu:.0f} | {MICROSECONDS * postgresql.cpu:.0f} | "
              f"{postgresql.wake_ups:.1f} | {run(value_of, url, CONNECTIONS)} | {memory:.0f} |",
              flush=True)  # fmt: skip
        return cost
