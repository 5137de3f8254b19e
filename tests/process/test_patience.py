"""A deadline for replies: it passes when nothing arrives, and never because the loop was late."""

import asyncio
import socket
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import uvloop

from services.process.patience import reply_within

SECONDS = 0.02
LOOPS: list[Callable[[], asyncio.AbstractEventLoop]] = [uvloop.new_event_loop, asyncio.new_event_loop]


@pytest.fixture(params=LOOPS, ids=["uvloop", "asyncio"])
def run(request: pytest.FixtureRequest) -> Callable[[Coroutine[Any, Any, Any]], Any]:
    def run_on_loop(work: Coroutine[Any, Any, Any]) -> Any:
        with asyncio.Runner(loop_factory=request.param) as runner:
            return runner.run(work)

    return run_on_loop


Run = Callable[[Coroutine[Any, Any, Any]], Any]


async def read_late(write: Callable[[socket.socket], object]) -> bytes:
    """Read a line from a socket that the other end writes to while the loop is busy until long after the deadline."""
    ours, theirs = socket.socketpair()
    with theirs:
        reader, writer = await asyncio.open_connection(sock=ours)
        keep_the_loop_busy(lambda: write(theirs))
        try:
            async with reply_within(SECONDS):
                return await reader.readline()
        finally:
            writer.close()


def keep_the_loop_busy(then: Callable[[], object]) -> None:
    """Keep the loop busy when it next reads its sockets, so that it runs expired timers before it reads more."""
    loop = asyncio.get_running_loop()
    bell, rope = socket.socketpair()

    def be_busy() -> None:
        loop.remove_reader(bell)
        bell.close()
        rope.close()
        time.sleep(5 * SECONDS)
        then()

    loop.add_reader(bell, be_busy)
    rope.send(b".")


def test_a_reply_that_waits_while_the_loop_is_late_is_read(run: Run) -> None:
    assert run(read_late(lambda theirs: theirs.sendall(b"a reply\n"))) == b"a reply\n"


def test_a_reply_that_is_sent_once_a_late_loop_goes_on_is_read(run: Run) -> None:
    def send_soon(theirs: socket.socket) -> None:
        asyncio.get_running_loop().call_later(SECONDS / 2, theirs.sendall, b"a reply\n")

    assert run(read_late(send_soon)) == b"a reply\n"


def test_a_reply_that_waits_while_the_loop_is_late_again_is_read(run: Run) -> None:
    reply = b"a reply\n"
    assert run(read_late(lambda theirs: keep_the_loop_busy(lambda: theirs.sendall(reply)))) == reply


def test_without_a_reply_the_deadline_passes(run: Run) -> None:
    with pytest.raises(TimeoutError):
        run(read_late(lambda theirs: None))


def test_a_block_that_ends_in_time_leaves_no_deadline_behind(run: Run) -> None:
    async def work() -> str:
        async with reply_within(SECONDS):
            await asyncio.sleep(0)
        await asyncio.sleep(5 * SECONDS)
        return "undisturbed"

    assert run(work()) == "undisturbed"
