"""Faults of the board's own processes: killed, frozen, stopped, and replaced one by one."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from tests.chaos.local_board import LocalBoard, Skipped
from tests.chaos.row import AWAY, CUT, Fault, Row, Trial

PAUSE_SECONDS = 2.0
MOMENT, HOUR = 10, 3600


def repeated(what: str, act: Callable[[LocalBoard, int], Awaitable[None]], pause: float = PAUSE_SECONDS) -> Fault:
    """Act again and again, with the number of the time, and count the times under this name."""

    @asynccontextmanager
    async def fault(trial: Trial) -> AsyncIterator[None]:
        times = 0
        while not times or not trial.over():
            trial.healed = time.monotonic()
            await act(trial.board, times)
            times += 1
            await asyncio.sleep(pause)
        trial.more[what] = times
        yield

    return fault


def killed(service: str) -> Fault:
    """Kill the replicas of a service in turn, each when the last one runs again."""
    return repeated("kills", lambda board, time: board.kill(service, time % board.replicas(service)))


def restarted(service: str) -> Fault:
    """Stop a replica of a service in order, and start it again at once."""

    async def restart(board: LocalBoard, time: int) -> None:
        await board.stop(service, time % board.replicas(service))
        await board.start(service, time % board.replicas(service))

    return repeated("restarts", restart)


def frozen(service: str) -> Fault:
    """Freeze one replica of a service."""

    @asynccontextmanager
    async def fault(trial: Trial) -> AsyncIterator[None]:
        await trial.board.freeze(service)
        try:
            yield
        finally:
            await trial.board.thaw(service)

    return fault


def away(service: str) -> Fault:
    """Stop all replicas of a service, and start them again."""

    @asynccontextmanager
    async def fault(trial: Trial) -> AsyncIterator[None]:
        numbers = range(trial.board.replicas(service))
        for number in numbers:
            await trial.board.stop(service, number)
        yield
        for number in numbers:
            await trial.board.start(service, number)

    return fault


def jumps(service: str, ahead: int) -> Fault:
    """Let the clock of one process go ahead by some seconds, and correct it. The history shows when."""

    @asynccontextmanager
    async def fault(trial: Trial) -> AsyncIterator[None]:
        clock = trial.board.clocks.get(service)
        if clock is None:
            raise Skipped("the clocks of this board cannot be set")

        def set_to(seconds: int) -> None:
            clock.set(seconds)
            trial.traffic.history.note("nemesis", "set_clock", {"service": service, "ahead": seconds}, {})

        set_to(ahead)
        try:
            yield
        finally:
            set_to(0)

    return fault


TIMES = "times rise, and windows are exact again in the end"
ROWS = (
    Row("api-killed", "nothing is lost or doubled", killed("api"), CUT),
    Row("api-frozen", "the other replicas do not stall", frozen("api"), CUT),
    # A caller may use an idle connection just when the process closes it; a load balancer knows of the stop before.
    Row("api-rolled", "only a connection that closes fails a call", restarted("api"), ("cut",)),
    Row("fanout-killed", "each event once and in order", killed("fanout")),
    Row("fanout-frozen", "another process takes over", frozen("fanout")),
    Row("fanout-away", "posting goes on, events are caught up exactly", away("fanout")),
    Row("limiter-killed", "the limit is exact, no 5xx", killed("limiter")),
    Row("limiter-frozen", "the limit is exact, no 5xx", frozen("limiter")),
    Row("postgresql-clock-ahead", TIMES, jumps("postgresql", MOMENT), AWAY),
    Row("postgresql-clock-behind", TIMES, jumps("postgresql", -MOMENT), AWAY),
    Row("valkey-clock-ahead", "the limit is exact, no 5xx", jumps("valkey", MOMENT)),
    Row("valkey-clock-behind", "the limit is exact, no 5xx", jumps("valkey", -MOMENT)),
    Row("api-clock-ahead", "nothing fails", jumps("api", HOUR)),
    Row("api-clock-behind", "nothing fails", jumps("api", -HOUR)),
    Row("fanout-clock-ahead", "nothing fails", jumps("fanout", HOUR)),
    Row("fanout-clock-behind", "nothing fails", jumps("fanout", -HOUR)),
    Row("limiter-clock-ahead", "nothing fails", jumps("limiter", HOUR)),
    Row("limiter-clock-behind", "nothing fails", jumps("limiter", -HOUR)),
)
