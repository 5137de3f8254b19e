"""The connections to the limiter give every request its own answer or an error, whatever the other side sends."""

import asyncio
import select
import socket
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
import pytest

from services.api.throttle import connections, limiter_client
from services.api.throttle.connections import Connections, Refused
from services.api.throttle.limiter_client import LimiterClient
from services.contract.checks import Check, Verdict
from services.limiter.app import KEEP_ALIVE_SECONDS
from services.process.metrics import Registry
from tests.log.locks import until

PATIENT = 60.0
VERDICTS = msgspec.json.encode([Verdict(True, 120, 60, 119, 60.0, 0.0)])
# the pieces that a peer sends for a body; an empty one is a pause, and None closes the connection
Pieces = list[bytes | None]


def answer(body: bytes, head: bytes = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n") -> bytes:
    return b"%sContent-Length: %d\r\n\r\n%s" % (head, len(body), body)


class Peer:
    """Stands in for a limiter that misbehaves: `reply` decides what it sends for the n-th request of a connection."""

    def __init__(self) -> None:
        self.reply: Callable[[int, bytes], Pieces] = lambda number, body: [answer(body)]
        self.heads: list[bytes] = []
        self.seen: list[tuple[int, bytes]] = []
        self.writers: list[asyncio.StreamWriter] = []
        self.hosts: set[str] = set()
        self.tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    async def listen(self, host: str = "127.0.0.1") -> asyncio.Server:
        server = await asyncio.start_server(self.serve, host, self.port)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        place = len(self.writers)
        self.writers.append(writer)
        self.hosts.add(writer.get_extra_info("sockname")[0])
        number = 0
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                self.heads.append(head)
                body = await reader.readexactly(int(head.partition(b"Content-Length: ")[2].split(b"\r")[0]))
                self.seen.append((place, body))
                for piece in self.reply(number, body):
                    if piece is None:
                        return
                    writer.write(piece)
                    await writer.drain()
                    await asyncio.sleep(0)
                number += 1
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()


@pytest.fixture
async def peer() -> AsyncIterator[Peer]:
    peer = Peer()
    async with await peer.listen():
        yield peer
        for writer in peer.writers:
            writer.transport.abort()


@pytest.fixture
async def client(peer: Peer) -> AsyncIterator[Connections]:
    client = Connections(f"http://127.0.0.1:{peer.port}")
    yield client
    client.close()


async def post(client: Connections, body: bytes = b"[]", seconds: float = PATIENT) -> bytes:
    return await client.post("/check", body, seconds)


async def test_a_request_is_sent_once_with_its_head(client: Connections, peer: Peer) -> None:
    assert await post(client, b'["a"]') == b'["a"]'
    assert peer.heads == [
        b"POST /check HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n"
        % peer.port
    ]


async def test_an_answer_in_single_bytes_is_put_together(client: Connections, peer: Peer) -> None:
    peer.reply = lambda number, body: [bytes([byte]) for byte in answer(body)]
    for number in range(3):
        assert await post(client, b"[%d]" % number) == b"[%d]" % number
    assert len(peer.writers) == 1


async def test_a_chunked_answer_is_put_together(client: Connections, peer: Peer) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    peer.reply = lambda number, body: [head, b"2\r\n[1\r\n", b"1\r\n]\r\n", b"0\r\n\r\n"]
    assert await post(client) == b"[1]"
    assert await post(client) == b"[1]"
    assert len(peer.writers) == 1


WRONG: dict[str, Pieces] = {
    "garbage": [b"SSH-2.0-OpenSSH_9.6\r\n"],
    "a request": [b"POST /check HTTP/1.1\r\nContent-Length: 0\r\n\r\n"],
    "too long": [answer(b" " * 200_000)],
    "an endless head": [b"HTTP/1.1 200 OK\r\n", *[b"X-Fill: %s\r\n" % (b"x" * 10_000)] * 20],
    "two lengths": [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n[]"],
    "two answers": [answer(b"[1]") + answer(b"[2]")],
    "an interim answer": [b"HTTP/1.1 103 Early Hints\r\n\r\n", answer(b"[]")],
    "closed at once": [None],
    "closed in the head": [b"HTTP/1.1 200 O", None],
    "closed in the body": [answer(b"[1, 2]")[:-3], None],
    "without a length": [b"HTTP/1.1 200 OK\r\n\r\n[]", None],
    "another status": [answer(b"[]", b"HTTP/1.1 503 Service Unavailable\r\n")],
}


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.parametrize("kept", [False, True], ids=["a new connection", "a kept one"])
async def test_what_is_no_answer_is_refused_and_costs_only_its_request(
    client: Connections, peer: Peer, what: str, kept: bool
) -> None:
    if kept:
        assert await post(client, b"[0]") == b"[0]"
    peer.reply = lambda number, body: WRONG[what] if body == b"[1]" else [answer(body)]
    if what == "closed at once" and kept:
        # the request is sent again on a new connection, once
        with pytest.raises(Refused):
            await post(client, b"[1]")
        assert peer.seen == [(0, b"[0]"), (0, b"[1]"), (1, b"[1]")]
    else:
        with pytest.raises(Refused):
            await post(client, b"[1]")
        assert peer.seen.count((0, b"[1]")) == 1
    for number in range(2, 5):
        assert await post(client, b"[%d]" % number) == b"[%d]" % number


async def test_a_refusal_keeps_the_connection(client: Connections, peer: Peer) -> None:
    peer.reply = lambda number, body: WRONG["another status"]
    for _ in range(3):
        with pytest.raises(Refused, match="503"):
            await post(client)
    assert len(peer.writers) == 1


async def test_a_kept_connection_that_the_limiter_closes_costs_no_answer(client: Connections, peer: Peer) -> None:
    # at the second request, the limiter has just decided to close the connection
    peer.reply = lambda number, body: [None] if number else [answer(body)]
    for number in range(5):
        assert await post(client, b"[%d]" % number) == b"[%d]" % number
    assert len(peer.writers) == 5


async def test_a_connection_that_was_closed_while_idle_is_not_used(client: Connections, peer: Peer) -> None:
    assert await post(client) == b"[]"
    (kept,) = client.idle
    peer.writers[0].close()

    async def noticed() -> bool:
        return not kept.usable

    await until(noticed)
    assert await post(client, b"[1]") == b"[1]"
    assert peer.seen == [(0, b"[]"), (1, b"[1]")]


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\nConnection: close\r\n", b"HTTP/1.0 200 OK\r\n"])
async def test_a_limiter_that_stops_gets_no_further_request(client: Connections, peer: Peer, head: bytes) -> None:
    peer.reply = lambda number, body: [answer(body, head)]
    for _ in range(3):
        await post(client)
    assert [place for place, _ in peer.seen] == [0, 1, 2]


async def test_bytes_that_were_not_asked_for_end_the_connection(client: Connections, peer: Peer) -> None:
    assert await post(client) == b"[]"
    (kept,) = client.idle
    peer.writers[0].write(answer(b"[1]"))

    async def ended() -> bool:
        return not kept.usable

    await until(ended)
    assert await post(client, b"[2]") == b"[2]"


async def test_a_connection_that_was_idle_for_long_is_not_used(
    client: Connections, peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await post(client) == b"[]"
    monkeypatch.setattr(connections, "IDLE_SECONDS", 0)
    assert await post(client) == b"[]"
    assert [place for place, _ in peer.seen] == [0, 1]


async def test_a_late_answer_is_never_taken_for_that_to_another_request(client: Connections, peer: Peer) -> None:
    assert await post(client, b"[0]") == b"[0]"
    peer.reply = lambda number, body: [] if body == b"[1]" else [answer(body)]
    with pytest.raises(TimeoutError):
        await post(client, b"[1]", 0.05)
    peer.writers[0].write(answer(b"[1]"))
    assert await post(client, b"[2]") == b"[2]"
    # the same should hold for a caller that has gone
    peer.reply = lambda number, body: [] if body == b"[3]" else [answer(body)]
    gone = asyncio.ensure_future(post(client, b"[3]"))

    async def asked() -> bool:
        return (1, b"[3]") in peer.seen

    await until(asked)
    gone.cancel()
    await asyncio.wait([gone])
    peer.writers[1].write(answer(b"[3]"))
    assert await post(client, b"[4]") == b"[4]"
    assert [place for place, _ in peer.seen] == [0, 0, 1, 1, 2]


async def test_answers_in_another_order_reach_their_own_requests(client: Connections, peer: Peer) -> None:
    peer.reply = lambda number, body: []
    waiting = [asyncio.ensure_future(post(client, b"[%d]" % number)) for number in range(8)]

    async def all_asked() -> bool:
        return len(peer.seen) == 8

    await until(all_asked)
    for place, body in reversed(peer.seen):
        peer.writers[place].write(answer(body))
    assert await asyncio.gather(*waiting) == [b"[%d]" % number for number in range(8)]
    # it should keep the connections, and use one at a time
    peer.reply = lambda number, body: [answer(body)]
    for _ in range(20):
        await post(client)
    assert len(peer.writers) == 8


async def test_an_answer_that_waits_while_the_loop_is_late_is_read(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    client = LimiterClient(f"http://127.0.0.1:{peer.port}", Registry())
    peer.reply = lambda number, body: [answer(VERDICTS)]
    assert await client.check(Check("votes", "alice", "a"))
    (kept,) = client.connections.idle
    ours = kept.transport.get_extra_info("socket")
    late = asyncio.Event()

    def reply(number: int, body: bytes) -> Pieces:
        asyncio.get_running_loop().call_soon(be_late)
        return [answer(VERDICTS)]

    def be_late() -> None:
        assert select.select([ours.fileno()], [], [], PATIENT)[0]
        time.sleep(0.3)
        late.set()

    peer.reply = reply
    monkeypatch.setattr(limiter_client, "ANSWER_SECONDS", 0.2)
    assert await client.check(Check("votes", "alice", "b"))
    assert late.is_set()
    await client.close()


async def test_connections_spread_over_all_addresses_of_a_name_that_answer(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # no server listens at the third address
    addresses = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
    loop = asyncio.get_running_loop()

    async def look_up(host: str, port: int, **_: Any) -> list[Any]:
        assert host == "limiter"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(loop, "getaddrinfo", look_up)
    client = Connections(f"http://limiter:{peer.port}")
    peer.reply = lambda number, body: [answer(body, b"HTTP/1.1 200 OK\r\nConnection: close\r\n")]
    async with await peer.listen("127.0.0.2"):
        for _ in range(60):
            assert await post(client) == b"[]"
        assert peer.hosts == {"127.0.0.1", "127.0.0.2"}
        client.close()


async def test_nothing_is_sent_after_it_is_closed(client: Connections, peer: Peer) -> None:
    peer.reply = lambda number, body: []
    waiting = asyncio.ensure_future(post(client))

    async def asked() -> bool:
        return bool(peer.seen)

    await until(asked)
    client.close()
    with pytest.raises(Refused):
        await waiting
    with pytest.raises(Refused):
        await post(client)
    assert len(peer.seen) == 1


async def test_a_limiter_that_cannot_be_found_or_reached_is_an_error() -> None:
    for url in ("http://127.0.0.1:1", "http://limiter.invalid:8100"):
        with pytest.raises(OSError):
            await post(Connections(url))


def test_idle_seconds_are_shorter_than_those_of_the_limiter() -> None:
    assert connections.IDLE_SECONDS < KEEP_ALIVE_SECONDS
