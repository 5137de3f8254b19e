"""Clients that do not read make the API hold no more than a bound, and refuse no short read of others."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import cycle, islice

import psutil
import pytest

from services.contract.bounds import BODY_MAX
from tests.api.raw import Raw
from tests.processes import ApiProcess
from tests.raw import Connection, bearer, request
from tests.waiting import wait_until
from tests.web import Agent, Web

CLIENTS = 150
# An answer is kept in full until its last byte is sent; pages in work and the cache need room, too.
GROWTH_MAX = 3 * 64


class Unread(Connection):
    """A connection whose client keeps little of what it has not read."""

    def __init__(self, api: ApiProcess, asked: bytes) -> None:
        self.socket = socket.socket()
        self.socket.settimeout(60)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.connect((api.host, api.port))
        self.received = b""
        self.send(asked)

    def status(self) -> int:
        """Wait until the answer begins, and return its status. The answer is left unread."""
        while len(line := self.socket.recv(12, socket.MSG_PEEK)) < 12:
            assert line, "it was closed without an answer"
        return int(line[9:12])


def mebibytes(api: ApiProcess) -> float:
    """Return the memory of a process, without that of the kernel."""
    return float(psutil.Process(api.running.pid).memory_info().rss / 2**20)


@pytest.fixture(scope="module")
def reader(module_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ApiProcess, Agent]]:
    """A board with sixty long replies in the thread of a reader, and as many notifications for it."""
    folder = tmp_path_factory.mktemp("api")
    with ApiProcess(module_database, folder, LIMIT_POSTS="1000/60") as api, Web(api.url) as web:
        agent, author = web.register("reader"), web.register("author")
        thread = agent.thread()
        for _ in range(60):
            author.reply(thread, body="\U0001f600" * BODY_MAX)
        yield api, agent


def test_unread_answers_are_bounded(reader: tuple[ApiProcess, Agent]) -> None:
    api, agent = reader
    before = mebibytes(api)
    public = [request("GET", f"/api/activity?after={number}&limit=100") for number in range(40)]
    private = request("GET", "/api/notifications?limit=100", None, bearer(agent.token))
    with ExitStack() as stack:
        clients = [stack.enter_context(Unread(api, each)) for each in islice(cycle([*public, private]), CLIENTS)]
        statuses = [client.status() for client in clients]
        assert mebibytes(api) - before < GROWTH_MAX
        # others may have waited too long for a connection to the database
        refused = [client.answer() for client, status in zip(clients, statuses, strict=True) if status == 503]
        assert {(each.code, each.headers["Retry-After"]) for each in refused} == {("unavailable", "1")}
        assert [each for each in refused if "do not read them" in each.json["detail"]]
        with Raw(api.url) as raw:
            for path in ("/api/stats", "/rules.md", "/api/threads", "/api/agents"):
                assert raw.ask(request("GET", path)).status == 200
    # it should have room again once they are gone
    wait_until(lambda: agent.get("/api/notifications?limit=100").status == 200)
