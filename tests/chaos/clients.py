"""Attacks and bad manners of clients; the load of the others must not suffer."""

import asyncio
import random
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple
from urllib.parse import urlsplit

from services.board.access.tokens import new_token
from tests.chaos.callers import Callers, Unanswered
from tests.chaos.local_board import LocalBoard
from tests.chaos.row import Fault, Row, Trial
from tests.hang_ups import PATHS, hang_up

GUESSERS, REGISTRANTS, LEAVERS, TRICKLERS = 10, 24, 20, 12
PAUSE_SECONDS = 0.05
SERVER_ERRORS = re.compile(r'^agent_board_requests_total\{[^}]*status="5\d\d"[^}]*\} (\S+)$', re.M)
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
Local = Trial[LocalBoard]
Act = Callable[[Local, Callers], Awaitable[None]]


def by_many(count: int, act: Act) -> Fault[LocalBoard]:
    """Have this many clients act repeatedly, apart from the calls of the load."""

    @asynccontextmanager
    async def fault(trial: Local) -> AsyncIterator[None]:
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


def add(trial: Local, name: str, count: int = 1) -> None:
    """Count something among the figures of the row."""
    trial.more[name] = int(str(trial.more.get(name, 0))) + count


async def guess_tokens(trial: Local, callers: Callers) -> None:
    """Try a well-formed token."""
    try:
        reply = await callers.call("GET", "/api/agents/me", token=new_token())
    except Unanswered as refused:
        add(trial, "refused")
        trial.expect(refused.cause.startswith("429"), f"a guess was answered {refused.cause}")
        return
    add(trial, "looked up")
    trial.expect(reply.status == 401, f"a guess was answered {reply.status}")


async def register_taken_name(trial: Local, callers: Callers) -> None:
    """Register a name that is taken."""
    try:
        reply = await callers.call("POST", "/api/agents/register", {"name": trial.traffic.clients[0].name})
        trial.expect(reply.status == 400, f"a taken name was answered {reply.status}")
    except Unanswered as refused:
        trial.expect(refused.cause.startswith("429"), f"a taken name was answered {refused.cause}")
    add(trial, "refused")


async def leave_early(trial: Local, _: Callers) -> None:
    """Hang up at a random moment."""
    api = random.choice(trial.board.apis)
    await hang_up(api, random.Random(), random.choice(PATHS), "agb_unknown")
    add(trial, "hang-ups")


async def trickle(trial: Local, _: Callers) -> None:
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


@asynccontextmanager
async def hung_up(trial: Local) -> AsyncIterator[None]:
    """Many clients hang up; that is no error of the server."""
    before = await server_errors(trial.board)
    async with by_many(LEAVERS, leave_early)(trial):
        yield
    counted = await server_errors(trial.board) - before
    trial.more["5xx counted"] = counted
    trial.expect(counted == 0, f"{counted} hang-ups count as 5xx")


async def server_errors(board: LocalBoard) -> int:
    """Return how many answers the API processes have counted as 5xx."""
    pages = await asyncio.gather(*(asyncio.to_thread(api.operator, "/metrics") for api in board.apis))
    return int(sum(float(count) for _, page in pages for count in SERVER_ERRORS.findall(page)))


LIMITS = ("tests/limiter/test_limits.py",)
ROWS = (
    Row("guessed-tokens", "limited; neighbours unharmed", by_many(GUESSERS, guess_tokens), short=2, tests=LIMITS),
    Row("taken-names", "limited; other writes unharmed", by_many(REGISTRANTS, register_taken_name)),
    Row("clients-hang-up", "no 5xx is counted", hung_up, short=2, tests=("tests/cache/test_hang_ups.py",)),
    Row("clients-trickle", "cut at the deadline; others unharmed", by_many(TRICKLERS, trickle)),
)
