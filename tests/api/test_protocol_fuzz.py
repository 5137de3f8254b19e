"""A fuzzer of the raw protocol: pipelines of right and wrong requests, changed at random and cut into packets.

Every request has one answer, in order and never a 5xx, and the board closes the connection soon after its client has.
A failure shows the bytes that were sent: add them to FOUND in packets.py. FUZZ_SECONDS is the time of the slow form.
"""

import os
import random
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest

from tests.api.packets import BAD_CHUNKS, BAD_HEADS, FOUND, GOOD
from tests.api.reference import Expected, requests_in
from tests.hostile_clients import HEAD_SECONDS, hostile_clients_of
from tests.processes import ApiProcess

SHORT_CASES = 1000
LONG_SECONDS = float(os.environ.get("FUZZ_SECONDS", str(3 * HEAD_SECONDS)))
HELD = 200
SEEDS = [*GOOD.values(), *BAD_HEADS.values(), *BAD_CHUNKS.values(), *FOUND]
BYTES = b"\r\n\r\n \t\0\x0b\x7f\xa0:;,/#019aAfxX+-_"
PARTS = (
    b"\r\n", b"\r\n\r\n", b"0\r\n\r\n", b"2\r\n{}\r\n", b"\r\nHost: y", b"\r\nContent-Length: 2",
    b"\r\nContent-Length: 0",
    b"\r\nTransfer-Encoding: chunked", b"\r\nExpect: 100-continue", b"\r\nConnection: close", b"\r\nUpgrade: websocket",
    b"\r\n X: y", b" HTTP/1.0", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
)  # fmt: skip


def invent(chance: random.Random) -> bytes:
    """Bytes that a client might send on one connection."""
    seeds = list(GOOD.values()) if chance.random() < 0.5 else SEEDS
    sent = bytearray(b"".join(chance.choices(seeds, k=chance.randrange(1, 5))))
    for _ in range(chance.choice((0, 0, 1, 1, 2, 4))):
        change(chance, sent)
    return bytes(sent)


def change(chance: random.Random, sent: bytearray) -> None:
    start = chance.randrange(len(sent) + 1)
    end = min(len(sent), start + chance.choice((0, 1, 1, 2, 8, 40)))
    match chance.randrange(5):
        case 0:
            sent[start:end] = b""
        case 1:
            sent[start:start] = sent[start:end]
        case 2:
            sent[start:end] = bytes(chance.choices(BYTES, k=chance.randrange(1, 3)))
        case 3:
            sent[start:start] = chance.choice(PARTS)
        case 4:
            del sent[start or 1 :]


def exchange(api: ApiProcess, packets: list[bytes], expected: Expected) -> bytes:
    """Everything that the board sends to a client that closes its direction once it has the answers that it expects."""
    received = b""
    with socket.create_connection((api.host, api.port), timeout=10) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # between two packets, the board may have closed the connection after its last answer
        with suppress(OSError):
            for packet in packets:
                connection.sendall(packet)
        with suppress(ConnectionResetError):
            while not has(received, expected) and (part := connection.recv(2**20)):
                received += part
        with suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
        with suppress(ConnectionResetError):
            while part := connection.recv(2**20):
                received += part
    return received


def has(received: bytes, expected: Expected) -> bool:
    """Whether at least as many answers as expected have arrived in full."""
    with suppress(AssertionError, ValueError, KeyError):
        return len(statuses(received, expected.methods)) >= expected.least
    return False


def statuses(received: bytes, methods: list[bytes]) -> list[int]:
    """The statuses of all final answers. Fails if they are not whole, or more than the requests."""
    found = []
    while received:
        head, end, received = received.partition(b"\r\n\r\n")
        line, *fields = head.split(b"\r\n")
        status = int(line.removeprefix(b"HTTP/1.1 ")[:3])
        assert end, "the last answer is not whole"
        if status == 100:
            continue
        found.append(status)
        assert len(found) <= len(methods), "there are more answers than requests"
        length = int(dict(field.split(b": ", 1) for field in fields)[b"Content-Length"])
        if methods[len(found) - 1] != b"HEAD":
            assert len(received) >= length, "the last answer is not whole"
            received = received[length:]
    return found


def check(api: ApiProcess, chance: random.Random, sent: bytes) -> None:
    cuts = sorted(chance.randrange(len(sent) + 1) for _ in range(chance.choice((0, 0, 1, 3))))
    packets = [sent[start:end] for start, end in zip([0, *cuts], [*cuts, len(sent)], strict=True)]
    expected = requests_in(sent)
    try:
        found = statuses(exchange(api, packets, expected), expected.methods)
        assert not [status for status in found if status >= 500]
        assert expected.least <= len(found) <= len(expected.methods)
    except (AssertionError, OSError, ValueError, KeyError) as error:
        raise AssertionError(f"{packets} should be {expected}") from error


def test_every_seed_is_answered_as_the_standard_says(api: ApiProcess) -> None:
    for number, sent in enumerate(SEEDS):
        check(api, random.Random(number), sent)


def test_what_a_client_may_invent_is_answered_once(api: ApiProcess) -> None:
    for number in range(SHORT_CASES):
        chance = random.Random(number)
        check(api, chance, invent(chance))


@pytest.mark.slow
def test_much_that_a_client_may_invent_is_answered_once(api: ApiProcess) -> None:
    first = random.randrange(2**32)
    number, end, held = first, time.monotonic() + LONG_SECONDS, 0
    with ExitStack() as stack, hostile_clients_of(api.host, api.port, 3 * HEAD_SECONDS):
        while time.monotonic() < end:
            chance = random.Random(number)
            sent = invent(chance)
            if held < HELD:
                stack.enter_context(hold(api, sent))
                held += 1
            check(api, chance, sent)
            number += 1
    assert number - first > SHORT_CASES
    assert api.running.poll() is None


@contextmanager
def hold(api: ApiProcess, sent: bytes) -> Iterator[None]:
    """Keep a connection open past every deadline, with what was sent on it, and read no answer."""
    with socket.create_connection((api.host, api.port), timeout=10) as connection:
        connection.sendall(sent)
        yield
