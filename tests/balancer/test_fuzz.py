"""Requests that are changed at random never crash a replica, and never take or change the answer of another client."""

import os
import random
import socket
import time
from contextlib import suppress

import pytest

from tests.balancer.balancer import Balancer
from tests.balancer.client import Connection
from tests.balancer.test_framing import CHUNKS, GET, POST, REFUSED
from tests.hostile_clients import faults
from tests.processes import ApiProcess
from tests.raw import request

SHORT_CASES = 300
LONG_SECONDS = float(os.environ.get("FUZZ_SECONDS", "30"))
GOOD = (
    GET + b"\r\n",
    GET.replace(b"GET", b"HEAD") + b"\r\n",
    POST + b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    POST + b"Transfer-Encoding: chunked\r\n" + CHUNKS,
)
SEEDS = (*GOOD, *GOOD, *REFUSED.values())
BYTES = b"\r\n\r\n \t\0\x0b\x7f\xa0:;,/#019aAfxX+-_"
PARTS = (
    b"\r\n", b"\r\n\r\n", b"0\r\n\r\n", b"2\r\n{}\r\n", b"\r\nHost: y", b"\r\nContent-Length: 2",
    b"\r\nContent-Length: 0", b"\r\nTransfer-Encoding: chunked", b"\r\nExpect: 100-continue", b"\r\nConnection: close",
    b"\r\nUpgrade: websocket", b"\r\n X: y", b" HTTP/1.0", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
)  # fmt: skip


def invent(chance: random.Random) -> bytes:
    """Bytes that a client might send on one connection."""
    sent = bytearray(b"".join(chance.choices(SEEDS, k=chance.randrange(1, 5))))
    for _ in range(chance.choice((0, 0, 1, 1, 2, 4))):
        start = chance.randrange(len(sent) + 1)
        end = min(len(sent), start + chance.choice((0, 1, 1, 2, 8, 40)))
        sent[start:end] = chance.choice(
            (b"", bytes(sent[start:end]) * 2, bytes(chance.choices(BYTES, k=2)), chance.choice(PARTS))
        )
    return bytes(sent)


def exchange(host: str, port: int, sent: bytes) -> bytes:
    """Everything that a server sends to a client that closes its direction after these bytes."""
    received = b""
    with socket.create_connection((host, port), timeout=30) as connection, suppress(ConnectionError):
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        while part := connection.recv(2**20):
            received += part
    return received


def try_out(balancer: Balancer, replicas: list[ApiProcess], seed: int) -> None:
    """Send what a seed invents to the balancer and to a replica, and ask for something else meanwhile."""
    sent = invent(random.Random(seed))
    for host, port in (("127.0.0.1", balancer.port), (replicas[0].host, replicas[0].port)):
        assert b"HTTP/1.1 5" not in exchange(host, port, sent), (seed, sent)
    with Connection(balancer) as other:
        answer = other.ask(request("GET", f"/api/health?own{seed}=1"))
    assert (answer.status, answer.headers["Ignored-Parameters"]) == (200, f'"own{seed}"'), (seed, sent)


def check_sound(replicas: list[ApiProcess]) -> None:
    for replica in replicas:
        assert replica.running.poll() is None
        assert faults(replica) == []


def test_what_a_client_may_invent_harms_no_other(balancer: Balancer, replicas: list[ApiProcess]) -> None:
    for seed in range(SHORT_CASES):
        try_out(balancer, replicas, seed)
    check_sound(replicas)


@pytest.mark.slow
def test_much_that_a_client_may_invent_harms_no_other(balancer: Balancer, replicas: list[ApiProcess]) -> None:
    end = time.monotonic() + LONG_SECONDS
    while time.monotonic() < end:
        try_out(balancer, replicas, random.randrange(2**32))
    check_sound(replicas)
