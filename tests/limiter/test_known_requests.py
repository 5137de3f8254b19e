"""The limiter answers the requests of API processes by itself, with the same bytes as in the ordinary way.

A request that arrives in pieces goes the ordinary way, through Sanic.
"""

import json
import re
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from deploy.local.valkey import Valkey
from services.limiter.app import BODY_BYTES_MAX
from services.limiter.messages import encode
from tests.limiter.processes import LimiterProcess, PatientLimiter
from tests.log.locks import until
from tests.metrics import metric
from tests.waiting import wait_until

SECONDS = 60
Answer = tuple[bytes, bytes]


class Line:
    """A connection to a limiter."""

    def __init__(self, limiter: LimiterProcess) -> None:
        self.socket = socket.create_connection(("127.0.0.1", limiter.port), SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")
        # a connection whose first request comes with it may not be known yet
        assert self.ask(known())[1] == b"[]"

    def close(self) -> None:
        self.file.close()
        self.socket.close()

    def ask(self, *pieces: bytes) -> Answer:
        """Send the pieces of a request; return the head and the body of its answer."""
        for piece in pieces:
            self.socket.sendall(piece)
        return self.answer()

    def answer(self) -> Answer:
        """Return the next answer."""
        head = b"".join(iter(self.file.readline, b"\r\n"))
        length = re.search(rb"content-length: (\d+)", head)
        assert length, head
        return head, self.file.read(int(length[1]))

    def ended(self) -> bool:
        """Return whether the limiter closes the connection instead of sending more."""
        return self.file.read(1) == b""


@pytest.fixture
def line(limiter: PatientLimiter) -> Iterator[Line]:
    with closing(Line(limiter)) as line:
        yield line


def check(key: str = "alice", number: int = 0, policy: str = "votes") -> dict[str, str]:
    return {"policy": policy, "key": key, "id": f"id-{number}"}


def known(*checks: dict[str, str], host: str = "127.0.0.1", body: bytes | None = None) -> bytes:
    """A request as API processes send it."""
    body = encode(list(checks)) if body is None else body
    head = f"POST /check HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def ordinary(request: bytes) -> bytes:
    """The same request with a header that API processes do not send."""
    return request.replace(b"\r\n", b"\r\nX-Ordinary: 1\r\n", 1)


def plain(answer: Answer) -> Answer:
    """An answer in one order of headers, without what differs from call to call and the empty header of Sanic."""
    head, body = answer
    lines = re.sub(rb"length: \d+", b"length", head).replace(b"alt-svc: \r\n", b"").split(b"\r\n")
    return b"\r\n".join([lines[0], *sorted(lines[1:])]), re.sub(rb"[0-9a-f]{32}", b"an id", body)


def test_both_ways_give_the_same_answers(line: Line) -> None:
    for number in range(125):
        answers = [line.ask(way(known(check(number=number), check("bob", number)))) for way in (bytes, ordinary)]
        assert plain(answers[0])[0] == plain(answers[1])[0]
        # the second way repeats the checks of the first
        first, second = (json.loads(body) for _, body in answers)
        assert [verdict["allowed"] for verdict in first + second] == [number < 120] * 4
        assert [verdict["repeated"] for verdict in first + second] == [False] * 2 + [number < 120] * 2
        assert [verdict["remaining"] for verdict in first + second] == [max(0, 119 - number)] * 4


WRONG = {
    "no JSON": known(body=b"[{"),
    "no list": known(body=b"{}"),
    "no text": known(body=b'[{"policy": "votes", "key": "\xff", "id": "a"}]'),
    "an unknown policy": known(check(policy="reads")),
    "a bad key": known(check("ALICE")),
    "too many checks": known(*[check()] * 257),
    "a foreign host": known(check(), host="attacker.example"),
    "another path": known(check()).replace(b"/check", b"/nowhere"),
    "another method": known(check()).replace(b"POST", b"PUT"),
    "another type": known(check()).replace(b"application/json", b"text/plain"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_refused_in_the_same_words(line: Line, limiter: PatientLimiter, what: str) -> None:
    with closing(Line(limiter)) as other:
        answer, refusal = line.ask(WRONG[what]), other.ask(ordinary(WRONG[what]))
    assert plain(answer) == plain(refusal)
    assert not answer[0].startswith(b"HTTP/1.1 2")
    assert limiter.check(check())[0]["remaining"] == 119


def test_a_request_that_is_too_large_is_refused(line: Line) -> None:
    assert line.ask(known(body=b" " * (BODY_BYTES_MAX + 1)))[0].startswith(b"HTTP/1.1 413")


def test_requests_that_are_sent_together_are_answered_in_order(line: Line) -> None:
    requests = [known(*[check(f"agent {number}", place) for place in range(number)]) for number in range(1, 30)]
    # it should answer in order when the requests arrive one by one, too, and when some are not known
    for way in (b"".join(requests), *requests[:10], requests[10] + ordinary(requests[11]), requests[12][:40]):
        line.socket.sendall(way)
    line.socket.sendall(requests[12][40:])
    counts = [len(json.loads(line.answer()[1])) for _ in range(len(requests) + 13)]
    assert counts == [*range(1, 30), *range(1, 14)]


def test_a_request_that_is_easily_refused_waits_for_its_turn(
    valkey: Valkey, line: Line, limiter: PatientLimiter
) -> None:
    with closing(Line(limiter)) as other, frozen(valkey):
        line.socket.sendall(known(check()))
        wait_for_checks(limiter, 1)
        line.socket.sendall(WRONG["another path"])
        # the limiter has read it when it has answered a later one on another connection
        other.ask(WRONG["another path"])
    assert [line.answer()[0].split()[1] for _ in range(2)] == [b"200", b"404"]


def test_a_client_that_hangs_up_is_not_waited_for(valkey: Valkey, line: Line, limiter: PatientLimiter) -> None:
    gone = Line(limiter)
    with closing(Line(limiter)) as other:
        with frozen(valkey):
            for number, asking in enumerate((line, other, gone)):
                # the check of the last one waits for the first decision, because two calls of Redis are in flight
                asking.socket.sendall(known(check("carol", number)))
                wait_for_checks(limiter, number + 1)
            gone.close()
            wait_for_checks(limiter, 2)
        assert [json.loads(one.answer()[1])[0]["remaining"] for one in (line, other)] == [119, 118]
    assert json.loads(line.ask(known(check("carol", 2)))[1])[0]["remaining"] == 117


def test_without_redis_the_refusal_is_the_same(start_limiter: Callable[..., PatientLimiter], tmp_path: Path) -> None:
    with Valkey(tmp_path / "valkey") as valkey:
        limiter = start_limiter(valkey.url())
        with closing(Line(limiter)) as line:
            assert line.ask(known(check()))[0].startswith(b"HTTP/1.1 200")
            valkey.kill()
            answers = [line.ask(way(known(check()))) for way in (bytes, ordinary) * 3]
    assert {plain(answer) for answer in answers} == {plain(answers[1])}
    assert answers[0][0].startswith(b"HTTP/1.1 503")
    assert json.loads(answers[0][1])["code"] == "unavailable"
    assert metric(limiter, 'agent_board_limit_decisions_total{policy="votes",verdict="away"}') == 6


async def test_a_limiter_that_stops_closes_the_connection_with_its_answer(
    valkey: Valkey, start_limiter: Callable[..., PatientLimiter]
) -> None:
    limiter = start_limiter(DRAIN_NOTICE_SECONDS="0")
    lines = [Line(limiter) for _ in range(2)]
    with frozen(valkey):
        for number, line in enumerate(lines):
            line.socket.sendall([known, lambda one: ordinary(known(one))][number](check(number=number)))
            wait_for_checks(limiter, number + 1)
        limiter.running.terminate()

        async def stopping() -> bool:
            return limiter.operator("/readyz") == (503, "limiter is stopping.")

        await until(stopping)
    for line in lines:
        head, body = line.answer()
        assert json.loads(body)[0]["allowed"]
        if line is lines[0]:
            assert b"\r\nconnection: close\r\n" in head
            assert line.ended()
        line.close()
    assert limiter.running.wait(SECONDS) == 0


@contextmanager
def frozen(valkey: Valkey) -> Iterator[None]:
    """Freeze Redis for the duration of the block."""
    valkey.child.ask(signal.SIGSTOP)
    try:
        yield
    finally:
        valkey.child.ask(signal.SIGCONT)


def wait_for_checks(limiter: LimiterProcess, count: int) -> None:
    """Return when the limiter is deciding this many checks. Fails after 30 s."""
    wait_until(lambda: metric(limiter, "agent_board_limit_checks_in_hand") == count, 30)
