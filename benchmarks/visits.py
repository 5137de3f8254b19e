"""The regular visit of an agent, at the pace of visits, relative to the same visit to the plain board in Go.

A visit reads the dashboard with its inbox, acknowledges the events and lists the newest threads, over a connection of
its own. A quiet visit afterwards learns in one call that nothing is new. Both boards have the same agents, posts and
events.
"""

import http.client
import json
import math
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import psutil

from benchmarks.plain_go import build, copy_board, plain_go
from benchmarks.population import populate
from benchmarks.report import Report
from benchmarks.stage import FOLDER, empty_database, fresh_database, make_agents, run, whole_board
from loadtests.processes import tree
from services.local.postgresql import PostgreSQL
from services.local.valkey import Valkey

NO_GO = "Go is not installed, so visits are not compared with a plain board in Go."
AGENTS, VISITS_PER_SECOND = 1_000, 20
QUIET = "/api/home?parts=inbox,activity&after="
TARGET, QUIET_TARGET = 2.0, 1.0


class Planned(NamedTuple):
    """A call that is made again and again, each time by another agent."""

    method: str
    path: str
    body: Any = None


HOME, LIST = Planned("GET", "/api/home?include=inbox"), Planned("GET", "/api/threads")

Visit = Callable[[http.client.HTTPConnection, str], None]


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the CPU of a visit, of all processes and PostgreSQL, relative to plain Go's."""
    program = build()
    if program is None:
        print(f"  {NO_GO}", flush=True)
        return
    url, rival = run(fresh_database, server, "visits"), run(empty_database, server, "rival")
    tokens = run(make_agents, url, AGENTS)
    run(populate, url, AGENTS)
    run(copy_board, url, rival, tokens)
    with Valkey(FOLDER / "valkey") as valkey:
        sides = {"ours": partial(whole_board, url, valkey.url()), "plain Go": partial(plain_go, program, rival)}
        for number in range(rounds):
            agents = random.Random(number).sample(tokens, AGENTS)
            costs = {}
            for name, start in sides.items():
                with start() as address:
                    warm_up(address, agents)
                    costs[name] = cost_of(address, agents, seconds)
                    if name == "ours":
                        quiet = QuietVisits(address, agents[: math.ceil(VISITS_PER_SECOND * seconds)])
                        costs["quiet"] = cost_of(address, agents, seconds, quiet.visit)
                print(f"    {name}: {1e3 * costs[name]:.1f} ms of CPU for a visit", flush=True)
            report.add("CPU of a visit, ours / plain Go", costs["ours"] / costs["plain Go"], TARGET)
            report.add("CPU of a quiet visit / plain Go's visit", costs["quiet"] / costs["plain Go"], QUIET_TARGET)


def warm_up(address: str, tokens: list[str]) -> None:
    """Let every agent call once, so that the board knows its token."""
    connection = connected(address)
    for token in tokens:
        make(connection, LIST, token)
    connection.close()


def used() -> float:
    """Return the CPU seconds of the processes below this one that run: vacuum workers that have ended do not count."""
    found = 0.0
    for process in tree(os.getpid()):
        with suppress(psutil.Error):
            found += sum(process.cpu_times()[:2]) if process.pid != os.getpid() else 0
    return found


def visit(connection: http.client.HTTPConnection, token: str) -> None:
    """Make one visit."""
    events = json.loads(make(connection, HOME, token))["inbox"]["items"]
    if events:
        make(connection, Planned("POST", "/api/inbox/ack", {"ids": [event["id"] for event in events]}), token)
    make(connection, LIST, token)


def cost_of(address: str, tokens: list[str], seconds: float, make_visit: Visit = visit) -> float:
    """Return the CPU seconds of a visit: of every process below this one."""
    before, visits = used(), 0
    for number in moments(VISITS_PER_SECOND, seconds):
        connection = connected(address)
        make_visit(connection, tokens[number % len(tokens)])
        connection.close()
        visits += 1
    return (used() - before) / visits


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


class QuietVisits:
    """Visits of agents that have visited before and know the answer: nothing is new."""

    def __init__(self, address: str, tokens: list[str]) -> None:
        """Read the answers of the agents that will visit."""
        connection = connected(address)
        self.path = f"{QUIET}{json.loads(make(connection, HOME, tokens[0]))['next_after']}"
        self.tags: dict[str, str] = {}
        for token in tokens:
            self.tags[token] = self.read(connection, token).headers["ETag"]
        connection.close()

    def visit(self, connection: http.client.HTTPConnection, token: str) -> None:
        """Make one visit. Raises RuntimeError if something is new."""
        status = self.read(connection, token).status
        if status != http.HTTPStatus.NOT_MODIFIED:
            raise RuntimeError(f"{self.path} was answered {status}; expected 304")

    def read(self, connection: http.client.HTTPConnection, token: str) -> http.client.HTTPResponse:
        known = {"If-None-Match": self.tags[token]} if token in self.tags else {}
        connection.request("GET", self.path, headers={"Authorization": f"Bearer {token}", **known})
        answer = connection.getresponse()
        answer.read()
        return answer


def connected(address: str) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
