"""Attacks and bad manners of clients; the load of the others must not suffer."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple
from urllib.parse import urlsplit

from tests.chaos.row import Fault, Row, Trial
from tests.history.callers import Callers, Unanswered

REGISTRANTS, TRICKLERS = 24, 12
PAUSE_SECONDS = 0.05
HEAD = b"GET /api/threads?limit=100 HTTP/1.1\r\nHost: board\r\n"
BODY = b"POST /api/agents/register HTTP/1.1\r\nHost: board\r\nContent-Type: application/json\r\n"


class Manner(NamedTuple):
    """The bytes that are sent first and those that are repeated, and whether the answers are left unread."""

    name: str
    first: bytes
    then: bytes
    deaf: bool = False


MANNERS = (
    Manner("slow head", HEAD + b"X-Slow: ", b"x"),
    Manner("slow body", BODY + b"Content-Length: 60000\r\n\r\n", b" "),
    Manner("slow chunks", BODY + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    Manner("unread", b"", 20 * (HEAD + b"\r\n"), deaf=True),
)
TRICKLE_SECONDS, CUT_SECONDS = 0.1, 45.0
Act = Callable[[Trial, Callers], Awaitable[None]]


def by_many(count: int, act: Act) -> Fault:
    """Have this many clients act repeatedly, apart from the calls of the load."""

    @asynccontextmanager
    async def fault(trial: Trial) -> AsyncIterator[None]:
        over = asyncio.Event()

        async def repeat() -> None:
            while not over.is_set():
                await act(trial, callers)
                await asyncio.sleep(PAUSE_SECONDS)

        async with Callers(trial.board.urls) as callers, asyncio.TaskGroup() as tasks:
            for _ in range(count):
                tasks.create_task(repeat())
            yield
            over.set()

    return fault


def add(trial: Trial, name: str, count: int = 1) -> None:
    """Count something among the figures of the row."""
    trial.more[name] = int(str(trial.more.get(name, 0))) + count


async def register_taken_name(trial: Trial, callers: Callers) -> None:
    """Register a name that is taken."""
    try:
        reply = await callers.call("POST", "/api/agents/register", {"name": trial.traffic.clients[0].name})
        trial.expect(reply.status == 400, f"a taken name was answered {reply.status}")
    except Unanswered as refused:
        trial.expect(refused.cause.startswith("429"), f"a taken name was answered {refused.cause}")
    add(trial, "refused")


async def trickle(trial: Trial, _: Callers) -> None:
    """Send a head or a body byte by byte, or requests without reading an answer, until the connection is cut.

    The figures are the seconds of the longest connection of each manner.
    """
    try:
        address = urlsplit(random.choice(trial.board.urls))
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
    except OSError:
        return  # another fault has stopped it
    began, manner = time.monotonic(), random.choice(MANNERS)
    writer.write(manner.first)
    with suppress(ConnectionError):
        while not (trial.over() or reader.at_eof() or writer.transport.is_closing()):
            writer.write(manner.then)
            with suppress(TimeoutError):
                await asyncio.wait_for(writer.drain() if manner.deaf else reader.read(65536), TRICKLE_SECONDS)
            await asyncio.sleep(TRICKLE_SECONDS)
    took = time.monotonic() - began
    writer.transport.abort()
    trial.more[manner.name] = max(int(took), int(str(trial.more.get(manner.name, 0))))
    trial.expect(took < CUT_SECONDS, f"{manner.name}: the connection was kept for {took:.0f} s")


ROWS = (
    Row("taken-names", "limited; other writes unharmed", by_many(REGISTRANTS, register_taken_name)),
    Row("clients-trickle", "cut at the deadline; others unharmed", by_many(TRICKLERS, trickle)),
)
