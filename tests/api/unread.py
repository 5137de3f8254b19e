"""Clients that ask a board for answers and do not read them."""

import socket
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import psutil

from tests.processes import ApiProcess
from tests.raw import Connection, request

# Four bytes each in UTF-8.
LONG = "\U0001f600" * 16_000


class Unread(Connection):
    """A connection whose client keeps little of what it has not read."""

    def __init__(self, api: ApiProcess, *asked: bytes) -> None:
        self.socket = socket.socket()
        self.socket.settimeout(60)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.connect((api.host, api.port))
        self.received = b""
        self.send(*asked)

    @property
    def status(self) -> int:
        """The status of the answer that comes next, which is left unread."""
        while len(line := self.socket.recv(12, socket.MSG_PEEK)) < 12:
            assert line, "it was closed without an answer"
        return int(line[9:12])


@contextmanager
def unread(api: ApiProcess, asked: Sequence[bytes]) -> Iterator[list[Unread]]:
    """Send each request over a connection of its own."""
    with ExitStack() as stack:
        yield [stack.enter_context(Unread(api, each)) for each in asked]


def statuses(connections: Sequence[Unread]) -> Counter[int]:
    """Wait until each answer has begun, and count their statuses."""
    return Counter(connection.status for connection in connections)


def mebibytes(api: ApiProcess) -> float:
    """Return the memory of a process, without that of the kernel."""
    return float(psutil.Process(api.running.pid).memory_info().rss / 2**20)


def get(target: str, *fields: str) -> bytes:
    return request("GET", target, None, *fields)
