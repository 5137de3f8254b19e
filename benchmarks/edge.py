"""The regular visit of an agent through HAProxy: over a connection of its own or a kept one, with and without TLS.

An agent that comes once a minute opens a connection each time. With TLS, both ends then prove who they are and agree on
keys; with a session of an earlier visit, only on keys.
"""

import http.client
import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from statistics import median
from typing import NamedTuple
from urllib.parse import urlsplit

from benchmarks.agents import PARTS, Board, board_of
from benchmarks.calls import moments
from benchmarks.plain_visits import visit
from benchmarks.report import Report
from benchmarks.stage import FOLDER
from benchmarks.targets import CONNECTION_IN_A_VISIT
from loadtests.edge import DEFAULT, KEYS, edge
from loadtests.errors import InvalidRun
from loadtests.processes import Processes
from services.local.ports import free_port
from services.local.postgresql import PostgreSQL
from services.local.valkey import Valkey

AGENTS, VISITS_PER_SECOND, STRETCH = 5_000, 20, 2  # a measurement takes twice the chosen seconds
NO_TLS, HAPROXY = "no TLS", "haproxy"
TARGETS = {DEFAULT: CONNECTION_IN_A_VISIT}
WAYS = {NO_TLS: ("new", "kept"), **dict.fromkeys(KEYS, ("new", "resumed", "kept"))}


class Use(NamedTuple):
    """The CPU seconds of HAProxy and of the board for one visit, and the share of connections that were resumed."""

    haproxy: float
    board: float
    resumed: float


class Client:
    """Opens connections, and keeps the TLS session of the last one."""

    def __init__(self, address: str) -> None:
        self.address = urlsplit(address)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE
        self.session: ssl.SSLSession | None = None
        self.opened = self.resumed = 0

    @contextmanager
    def connected(self, resume: bool) -> Iterator[http.client.HTTPConnection]:
        """Open a connection, with the session of the last one if it is to be resumed."""
        connection = http.client.HTTPConnection(self.address.netloc, timeout=30)
        connection.connect()
        secure = self.address.scheme == "https"
        if secure:
            session = self.session if resume else None
            connection.sock = self.context.wrap_socket(connection.sock, session=session)
        yield connection
        self.opened += 1
        if isinstance(connection.sock, ssl.SSLSocket):
            self.resumed += connection.sock.session_reused is True
            self.session = connection.sock.session
        connection.close()


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Print the CPU of a visit for each kind of key and connection, and add the share of a new connection in it."""
    uses: dict[tuple[str, str], list[Use]] = {}
    operator = f"http://127.0.0.1:{(port := free_port())}"
    with (
        Valkey(FOLDER / "valkey") as valkey,
        board_of(server, AGENTS, valkey.url(), OPERATOR_PORT=str(port)) as board,
    ):
        tokens = cycle(token for _, token in board.agents)
        for _ in range(rounds):
            for key in WAYS:
                try:
                    for way, use in costs(board, operator, key, tokens, STRETCH * seconds):
                        uses.setdefault((key, way), []).append(use)
                except InvalidRun as missing:
                    print(f"  {missing}", flush=True)
                    return
            add_shares(report, uses)
    print_table(uses)


def costs(board: Board, operator: str, key: str, tokens: Iterator[str], seconds: float) -> Iterator[tuple[str, Use]]:
    """Yield the cost of a visit in each way through an HAProxy with a key of this kind."""
    with edge(board.address, operator, FOLDER, None if key == NO_TLS else key) as found:
        for way in WAYS[key]:
            use = cost_of(found.url, way, tokens, seconds)
            print(
                f"    {key}, {way}: {1e3 * use.haproxy:.2f} ms of HAProxy, {1e3 * use.board:.2f} of the board",
                flush=True,
            )
            yield way, use


def cost_of(address: str, way: str, tokens: Iterator[str], seconds: float) -> Use:
    """Make visits at a steady pace, and return the cost of one."""
    client, processes, pid = Client(address), Processes(os.getpid()), os.getpid()
    with client.connected(resume=False) as kept:
        visit(kept, next(tokens))
        client.session = getattr(kept.sock, "session", None)
        before, opened = processes.seconds(pid), client.opened
        for _ in moments(VISITS_PER_SECOND, seconds):
            if way == "kept":
                visit(kept, next(tokens))
            else:
                with client.connected(resume=way == "resumed") as connection:
                    visit(connection, next(tokens))
        after, visits = processes.seconds(pid), round(VISITS_PER_SECOND * seconds)
        resumed = client.resumed / max(1, client.opened - opened)
    used = {part: (after[part] - before[part]) / visits for part in (HAPROXY, *PARTS)}
    return Use(used[HAPROXY], sum(used[part] for part in PARTS), resumed)


def add_shares(report: Report, uses: dict[tuple[str, str], list[Use]]) -> None:
    """Add the share of a new connection in the CPU of a visit: what HAProxy uses more than over a kept connection."""
    for key, ways in WAYS.items():
        for way in ways[:-1]:
            new, kept = uses[key, way][-1], uses[key, "kept"][-1]
            share = (new.haproxy - kept.haproxy) / (new.haproxy + new.board)
            report.add(f"share of a {way} connection in a visit, {key}", share, TARGETS.get(key))


def print_table(uses: dict[tuple[str, str], list[Use]]) -> None:
    """Print the medians over all rounds, in microseconds for a visit."""
    print("\n| key | connection | HAProxy us | board us | resumed |\n|---|---|--:|--:|--:|")
    for (key, way), rounds in uses.items():
        haproxy, board, resumed = (median(column) for column in zip(*rounds, strict=True))
        print(f"| {key} | {way} | {1e6 * haproxy:,.0f} | {1e6 * board:,.0f} | {resumed:.0%} |")
