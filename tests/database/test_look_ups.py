"""A host whose name is not found for a long time holds up no connection to the others."""

import asyncio
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest

from services.board.database import primary

GONE = "gone.invalid"
THREADS = 2
CALLERS = 8
SECONDS = 3.0


class Names:
    """The look-ups of a process, of which those of the missing host end only when they are let go."""

    def __init__(self) -> None:
        self.look_up = socket.getaddrinfo
        self.asked: list[str] = []
        self.let_go = threading.Event()

    def getaddrinfo(self, host: str, *arguments: Any, **more: Any) -> Any:
        self.asked.append(host)
        if host != GONE:
            return self.look_up(host, *arguments, **more)
        self.let_go.wait(60)
        raise socket.gaierror(-3, "Temporary failure in name resolution")


@pytest.fixture
async def names(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Few threads for look-ups, and a host that is gone."""
    found = Names()
    monkeypatch.setattr(socket, "getaddrinfo", found.getaddrinfo)
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
    yield found
    found.let_go.set()


async def test_the_primary_is_found_while_the_name_of_another_host_is_looked_up(names: Names, board_url: str) -> None:
    parts = urlsplit(board_url)
    found = f"localhost:{parts.port}"
    credentials = parts.netloc.rpartition("@")[0]
    url = parts._replace(netloc=f"{credentials}@{GONE}:5432,{found}").geturl()
    connections = await asyncio.gather(*(primary.connect(url, timeout=SECONDS) for _ in range(CALLERS)))
    assert [await each.fetchval("SELECT 1") for each in connections] == [1] * CALLERS
    for each in connections:
        await each.close()
    assert names.asked.count(GONE) == 1
