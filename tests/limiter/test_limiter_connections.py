"""The connections between API processes and limiters: none is kept beyond its use, and no check is lost with one."""

import json
import re
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager

import pytest

from services.api import limiter_client
from services.api.limiter_client import LimiterClient
from services.contract.checks import Check
from services.limiter.app import KEEP_ALIVE_SECONDS
from services.limiter.messages import encode
from services.local.valkey import Valkey
from services.process.metrics import Registry
from tests.limiter.processes import LimiterProcess, PatientLimiter
from tests.metrics import metric
from tests.posts.locks import until
from tests.waiting import wait_until

SECONDS = 60
DECIDED = "agent_board_limit_decision_seconds_count"


class Line:
    """A connection to a limiter."""

    def __init__(self, limiter: LimiterProcess) -> None:
        self.socket = socket.create_connection(("127.0.0.1", limiter.port), SECONDS)
        self.file = self.socket.makefile("rb")

    def close(self) -> None:
        self.file.close()
        self.socket.close()

    def send(self, key: str, number: int) -> None:
        """Send a check."""
        body = encode([Check("votes", key, f"id-{number}", 120, 60)])
        head = "POST /check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        self.socket.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)

    def answer(self) -> tuple[bytes, bytes]:
        """Return the head and the body of the next answer."""
        head = b"".join(iter(self.file.readline, b"\r\n"))
        length = re.search(rb"content-length: (\d+)", head)
        assert length, head
        return head, self.file.read(int(length[1]))

    def remaining(self) -> int:
        """Return what the next verdict leaves."""
        return int(json.loads(self.answer()[1])[0]["remaining"])


@contextmanager
def frozen(valkey: Valkey) -> Iterator[None]:
    """Freeze Redis for the duration of the block."""
    valkey.child.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        valkey.child.process.send_signal(signal.SIGCONT)


def wait_for_checks(limiter: LimiterProcess, count: int) -> None:
    """Return when the limiter is deciding this many checks. Fails after 30 s."""
    wait_until(lambda: metric(limiter, "agent_board_limit_checks_in_hand") == count, 30)


def test_a_client_that_hangs_up_is_not_waited_for(valkey: Valkey, limiter: PatientLimiter) -> None:
    gone = Line(limiter)
    with closing(Line(limiter)) as one, closing(Line(limiter)) as other:
        with frozen(valkey):
            for number, line in enumerate((one, other, gone)):
                # the check of the last one waits for the first decision, because two calls of Redis are in flight
                line.send("carol", number)
                wait_for_checks(limiter, number + 1)
            gone.close()
            wait_for_checks(limiter, 2)
            assert metric(limiter, "agent_board_limit_checks_in_hand") == 2
        assert {one.remaining(), other.remaining()} == {119, 118}
        one.send("carol", 3)
        assert one.remaining() == 117


async def test_a_limiter_that_stops_closes_the_connection_after_its_answer(
    valkey: Valkey, start_limiter: Callable[..., PatientLimiter]
) -> None:
    limiter = start_limiter(DRAIN_NOTICE_SECONDS="0")
    with closing(Line(limiter)) as line:
        with frozen(valkey):
            line.send("dora", 1)
            wait_for_checks(limiter, 1)
            limiter.running.terminate()

            async def stopping() -> bool:
                return limiter.operator("/readyz") == (503, "limiter is stopping.")

            await until(stopping)
        _, body = line.answer()
        assert json.loads(body)[0]["allowed"]
        assert line.file.read(1) == b""
    assert limiter.running.wait(SECONDS) == 0


@asynccontextmanager
async def patient_client(limiter: LimiterProcess, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LimiterClient]:
    monkeypatch.setattr(limiter_client, "ANSWER_SECONDS", SECONDS)
    client = LimiterClient(limiter.url, Registry())
    yield client
    await client.close()


async def test_a_limiter_that_is_added_gets_its_part_of_the_checks(
    start_limiter: Callable[..., PatientLimiter], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = start_limiter(REUSE_PORT="true")
    async with patient_client(first, monkeypatch) as client:
        assert await client.check(Check("votes", "alice", "0", 120, 60))
        second = start_limiter(REUSE_PORT="true", LIMITER_PORT=str(first.port))
        for number in range(20 * limiter_client.REQUESTS_PER_CONNECTION):
            assert await client.check(Check("votes", f"agent {number}", "a", 120, 60))
            if number % limiter_client.REQUESTS_PER_CONNECTION == 0 and metric(second, DECIDED):
                break
        assert metric(second, DECIDED) > 0


async def test_a_kept_connection_that_the_limiter_has_just_closed_costs_no_verdict(
    limiter: PatientLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with patient_client(limiter, monkeypatch) as client:
        for number in range(5):
            assert await client.check(Check("votes", "alice", str(number), 120, 60))
            # the limiter ends its connections while the next check is on its way
            limiter.signal(signal.SIGSTOP)
            asking = client.checks.put(Check("votes", "alice", f"late-{number}", 120, 60)).future

            async def asked() -> bool:
                return client.checks.in_flight == 1

            await until(asked)
            limiter.kill()
            limiter.start()
            assert await asking is not None


def test_idle_connections_are_closed_before_the_limiter_would_close_them() -> None:
    assert limiter_client.IDLE_SECONDS < KEEP_ALIVE_SECONDS
