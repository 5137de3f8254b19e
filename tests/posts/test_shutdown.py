"""A rolling restart under load fails no request, and a stop waits for writes in flight."""

import asyncio
import io
import json
import signal
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import parse_headers

import asyncpg
import pytest

from tests.load import Client, Member, enlist, published
from tests.posts.locks import hold_slow, let_go, slow_begun, until
from tests.processes import STOP_SECONDS, ApiProcess
from tests.web import Answer, check_every_answer

StartApi = Callable[..., ApiProcess]
AT_ONCE_SECONDS = 0.5
RESET = struct.pack("ii", 1, 0)  # closing sends a reset


class Lost(Exception):
    """A request got no answer."""


class KeepAlive:
    """One keep-alive connection. It moves to the other replica when asked to, or when it is closed while idle."""

    def __init__(self, ports: list[int], at: int) -> None:
        self.ports = ports
        self.at = at
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.moves = 0
        self.answered = time.monotonic()
        self.outstanding = False

    async def call(self, method: str, path: str, token: str | None = None, body: object = None) -> tuple[int, bytes]:
        """Send a request and return status and body. Raises Lost if there is no answer."""
        request = request_bytes(method, path, token, body)
        late = time.monotonic() - self.answered
        try:
            answer = await self.send(request)
        except (OSError, asyncio.IncompleteReadError) as error:
            # after such a delay the connection was idle, and may be closed
            if late < AT_ONCE_SECONDS:
                raise Lost(f"{method} {path}: {error!r}") from error
            self.move()
            answer = await self.send(request)
        finally:
            self.answered = time.monotonic()
        check_every_answer(answer, method, path)
        return answer.status, answer.content

    async def send(self, request: bytes) -> Answer:
        reader, writer = await self.connection()
        self.outstanding = True
        try:
            writer.write(request)
            return await self.answer(reader)
        finally:
            self.outstanding = False

    async def answer(self, reader: asyncio.StreamReader) -> Answer:
        line, _, fields = (await reader.readuntil(b"\r\n\r\n")).partition(b"\r\n")
        headers = parse_headers(io.BytesIO(fields))
        body = await reader.readexactly(int(headers["Content-Length"]))
        if headers["Connection"] == "close":
            self.move()
        return Answer(int(line.split()[1]), headers, body)

    async def connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self.streams and self.streams[0].at_eof():
            self.move()
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.ports[self.at])
        return self.streams

    def move(self) -> None:
        """Close the connection; the next call goes to the other replica."""
        self.close()
        self.at = 1 - self.at
        self.moves += 1

    def close(self) -> None:
        if self.streams:
            self.streams[1].transport.abort()
            self.streams = None


def request_bytes(method: str, path: str, token: str | None, body: object) -> bytes:
    content = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: board\r\n"
    if token:
        head += f"Authorization: Bearer {token}\r\n"
    if content:
        head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
    return head.encode() + b"\r\n" + content


@dataclass
class Traffic:
    """Agents that write, read and vote continuously, each over its own connection."""

    ports: list[int]
    members: list[Member]
    statuses: set[int] = field(default_factory=set)
    posts: list[int] = field(default_factory=list)
    connections: list[KeepAlive] = field(default_factory=list)
    stopped: bool = False

    async def run(self, number: int) -> None:
        connection = KeepAlive(self.ports, number % 2)
        self.connections.append(connection)
        while not self.stopped:
            member = self.members.pop()
            for n in range(10):
                await self.turn(connection, member, n)
        connection.close()

    async def turn(self, connection: KeepAlive, member: Member, n: int) -> None:
        status, body = await connection.call("POST", "/api/threads", member.token, {"title": f"T{n}", "body": "B"})
        thread = json.loads(body)["id"]
        self.posts.append(thread)
        vote, _ = await connection.call("POST", f"/api/posts/{thread}/vote", member.token, {"value": 1})
        # some agents pause with an open connection
        await asyncio.sleep(0.02 * (member.id % 3))
        read, _ = await connection.call("GET", f"/api/threads/{thread}", member.token)
        self.statuses |= {status, vote, read}

    async def progress(self, count: int) -> None:
        goal = len(self.posts) + count

        async def reached() -> bool:
            return len(self.posts) >= goal or self.stopped

        await until(reached)


@pytest.mark.parametrize("notice", ["0", pytest.param("0.4", marks=pytest.mark.slow)])
async def test_a_rolling_restart_under_load_fails_no_request(
    start_api: StartApi, own_db: asyncpg.Connection, notice: str
) -> None:
    replicas = [start_api(DRAIN_NOTICE_SECONDS=notice) for _ in range(2)]
    traffic = Traffic([api.port for api in replicas], await enlist(own_db, 1000))
    clients = asyncio.gather(*[traffic.run(n) for n in range(12)])
    try:
        for api in replicas:
            await traffic.progress(50)
            # it should exit with 0
            assert await asyncio.to_thread(api.terminate) == 0
            await asyncio.to_thread(api.start)
        await traffic.progress(50)
    finally:
        traffic.stopped = True
        # it should have lost no request
        await clients
    assert traffic.statuses == {200, 201}
    assert sum(connection.moves for connection in traffic.connections) >= 12
    # every answered post should be in the log
    rows = await own_db.fetch("SELECT id FROM posts ORDER BY id")
    assert sorted(traffic.posts) == [row["id"] for row in rows]
    assert await own_db.fetchval("SELECT count(*) FROM votes") == len(traffic.posts)


async def test_a_request_that_follows_its_answer_at_once_is_not_lost_to_the_stop(start_api: StartApi) -> None:
    """The worst moment for a stop: all connections have just been answered, and the clients have not noticed it."""
    going, staying = start_api(), start_api()
    connections = [KeepAlive([going.port, staying.port], 0) for _ in range(40)]
    for connection in connections:
        await connection.call("GET", "/effects.json")
    stopped = asyncio.Event()
    clients = [asyncio.create_task(ask(connection, stopped)) for connection in connections]
    await all_wait(connections)
    going.signal(signal.SIGSTOP)
    # when it continues it should find a request of every client together with the signal
    for _ in range(3):
        await all_wait(connections)
        await asyncio.sleep(0.03)
    going.signal(signal.SIGTERM)
    going.signal(signal.SIGCONT)
    assert await asyncio.to_thread(going.running.wait, STOP_SECONDS) == 0
    stopped.set()
    await asyncio.gather(*clients)
    assert [connection.moves for connection in connections] == [1] * 40


async def all_wait(connections: list[KeepAlive]) -> None:
    """Return when every connection waits for an answer."""

    async def all_outstanding() -> bool:
        return all(connection.outstanding for connection in connections)

    await until(all_outstanding)


async def ask(connection: KeepAlive, stopped: asyncio.Event) -> None:
    """Read a document repeatedly, each time as soon as the last answer has arrived."""
    while not stopped.is_set():
        await connection.call("GET", "/effects.json")
    connection.close()


async def stopping(api: ApiProcess) -> None:
    """Return when the process no longer listens."""

    async def closed() -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", api.port)
        except OSError:
            return True
        writer.transport.abort()
        return False

    await until(closed)


@pytest.mark.parametrize("hangs_up", [True, False])
async def test_a_stop_waits_for_a_write_in_flight_even_if_its_client_hung_up(
    start_patient_api: StartApi, own_db: asyncpg.Connection, hangs_up: bool
) -> None:
    (alice,) = await enlist(own_db, 1)
    api = start_patient_api()
    await hold_slow(own_db)
    async with Client(api.url) as client:
        write = asyncio.create_task(client.thread(alice, "Slow"))
        await slow_begun(own_db)
        if hangs_up:
            write.cancel()
            await asyncio.wait({write})
        end = asyncio.create_task(asyncio.to_thread(api.terminate))
        await stopping(api)
        # it should not exit before the write has finished
        done, _ = await asyncio.wait({end}, timeout=0.5)
        assert not done
        await let_go(own_db)
        assert await end == 0
        # it should answer the client
        if not hangs_up:
            assert published(await write) == 1
    assert await own_db.fetchval("SELECT array_agg(title) FROM posts") == ["Slow"]


async def test_a_write_whose_client_hangs_up_completes_and_counts_once(
    start_patient_api: StartApi, own_db: asyncpg.Connection
) -> None:
    (alice,) = await enlist(own_db, 1)
    api = start_patient_api()
    await hold_slow(own_db)
    async with Client(api.url) as client:
        write = asyncio.create_task(client.thread(alice, "Slow"))
        await slow_begun(own_db)
        write.cancel()
        await asyncio.wait({write})
        published_next = asyncio.create_task(client.thread(alice, "The next"))
        await let_go(own_db)
        assert published(await published_next) == 2
        assert (await client.get("/api/threads/1")).json["thread"]["title"] == "Slow"
    # it should appear as one call in the log and in the metrics
    await asyncio.to_thread(api.terminate)
    calls = [line for line in api.log_lines() if line["event"] == "request"]
    assert sorted((line["operation"], line["status"]) for line in calls) == [
        ("create_thread", 201),
        ("create_thread", 499),
        ("read_thread", 200),
    ]
