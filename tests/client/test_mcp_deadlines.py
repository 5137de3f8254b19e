"""Over HTTP, every wait of the MCP server for a client ends, and a client that is gone ends only its own call."""

import asyncio
import json
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio

from agent_board_client import AsyncBoard
from services.contract.bounds import BODY_MAX
from tests.client.conftest import PUBLIC
from tests.client.hostile import Endless, HostileBoard, answer
from tests.client.largest import LargeBoard

SECONDS = 0.3
GET = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
# A call whose answer is larger than the buffers of a socket.
CALL = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "board_start"}}).encode()
POST = (
    b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json\r\n"
    b"Content-Length: %d\r\n\r\n" % len(CALL)
)
NEVER_DONE = Endless(b"HTTP/1.1 200 OK\r\n\r\n", b"")
LARGE = LargeBoard("x" * BODY_MAX).parts_for(b"GET /api/start?limit=13 HTTP/1.1")
Client = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Open = Callable[[], Awaitable[Client]]


@pytest.fixture
def short_deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    from agent_board_client import mcp_connections, mcp_exchange

    for module, name in (
        (mcp_connections, "HEAD_SECONDS"), (mcp_connections, "IDLE_SECONDS"),
        (mcp_exchange, "BODY_SECONDS"), (mcp_exchange, "READ_SECONDS"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, SECONDS)


@pytest_asyncio.fixture
async def board() -> AsyncIterator[HostileBoard]:
    async with HostileBoard() as board:
        board.parts = LARGE
        yield board


@pytest_asyncio.fixture
async def open_one(board: HostileBoard) -> AsyncIterator[Open]:
    """Connects to an MCP server in this process, whose results are as long as they may be."""
    from agent_board_client.mcp_http import listening, web_server
    from agent_board_client.mcp_results import CHARACTERS_MAX
    from agent_board_client.mcp_server import ANSWER_BYTES_MAX, public_server_for

    opened: list[Client] = []
    async with AsyncBoard(board.address, answer_bytes=ANSWER_BYTES_MAX) as client:
        server = web_server(public_server_for(client, PUBLIC, CHARACTERS_MAX), PUBLIC)
        with listening("127.0.0.1:0") as listener:
            serving = asyncio.create_task(server.serve(sockets=[listener]))

            async def connect() -> Client:
                ours = socket.socket()
                ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                ours.setblocking(False)
                await asyncio.get_running_loop().sock_connect(ours, listener.getsockname())
                opened.append(await asyncio.open_connection(sock=ours, limit=4096))
                return opened[-1]

            yield connect
            server.should_exit = True
            for _, writer in opened:
                writer.transport.abort()
            await serving


async def read_answer(client: Client) -> tuple[bytes, bytes]:
    reader, _ = client
    head = await reader.readuntil(b"\r\n\r\n")
    (length,) = [int(line[16:]) for line in head.lower().splitlines() if line.startswith(b"content-length: ")]
    return head, await reader.readexactly(length)


async def closed(reader: asyncio.StreamReader) -> int:
    """Wait until the server has closed a connection, and return how many bytes arrived before."""
    read = 0
    async with asyncio.timeout(30):
        try:
            while part := await reader.read(4096):
                read += len(part)
        except ConnectionError:
            pass
    return read


async def reached(board: HostileBoard, calls: int) -> None:
    """Wait until a number of calls are in work."""
    async with asyncio.timeout(30):
        while len(board.heads) < calls:  # noqa: ASYNC110 - no event reports what reached the board
            await asyncio.sleep(0.01)


async def trickle(writer: asyncio.StreamWriter, sent: bytes) -> None:
    for byte in sent:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(SECONDS / 10)


LEFT_UNDONE: dict[str, tuple[bytes, bytes]] = {
    "silent": (b"", b""),
    "half a head": (b"GET /li", b""),
    "a head byte by byte": (b"", GET[:20] * 100),
    "a head without its body": (POST, b""),
    "half a body": (POST + CALL[:20], b""),
    "a body byte by byte": (POST, CALL[:-1]),
    "half a chunk": (POST.replace(b"Content-Length: %d" % len(CALL), b"Transfer-Encoding: chunked") + b"40\r\n{", b""),
    "an unknown expectation": (POST.replace(b"Host", b"Expect: 100-continue\r\nHost"), b""),
    "a body that nobody reads": (GET.replace(b"\r\n\r\n", b"\r\nContent-Length: 9999999\r\n\r\n"), b"x" * 1000),
    "half a head after a request": (GET + GET[:9], b""),
}


@pytest.mark.usefixtures("short_deadlines")
@pytest.mark.parametrize("used", [False, True], ids=["unused", "used"])
@pytest.mark.parametrize("kind", LEFT_UNDONE)
async def test_a_client_that_leaves_a_request_undone_is_cut_off(open_one: Open, kind: str, used: bool) -> None:
    at_once, slowly = LEFT_UNDONE[kind]
    reader, writer = client = await open_one()
    if used:
        writer.write(GET)
        assert (await read_answer(client))[1] == b"alive\n"
    writer.write(at_once)
    trickling = asyncio.create_task(trickle(writer, slowly))
    await closed(reader)
    trickling.cancel()
    other = await open_one()
    other[1].write(GET)
    assert (await read_answer(other))[1] == b"alive\n"


@pytest.mark.usefixtures("short_deadlines")
async def test_a_client_that_does_not_read_is_cut_off(open_one: Open, caplog: pytest.LogCaptureFixture) -> None:
    reader, writer = await open_one()
    writer.write((POST + CALL) * 3)
    await asyncio.wait_for(reader.readuntil(b"\r\n"), 30)
    await asyncio.sleep(3 * SECONDS)  # the client does nothing for longer than the deadline
    assert await closed(reader) < 200_000
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_the_longest_wait_makes_room_for_a_new_client(open_one: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    from agent_board_client import mcp_connections

    monkeypatch.setattr(mcp_connections, "CONNECTIONS_MAX", 3)
    silent = [await open_one() for _ in range(3)]
    _, writer = client = await open_one()
    writer.write(GET)
    assert (await read_answer(client))[1] == b"alive\n"
    await closed(silent[0][0])
    silent[2][1].write(GET)
    assert (await read_answer(silent[2]))[1] == b"alive\n"


async def test_unread_answers_are_bounded_together(open_one: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    from agent_board_client import mcp_connections

    monkeypatch.setattr(mcp_connections, "UNREAD_BYTES_MAX", 300_000)
    unread = await open_one()
    unread[1].write(POST + CALL)
    await asyncio.wait_for(unread[0].readuntil(b"\r\n"), 30)
    reading = await open_one()
    reading[1].write(POST + CALL)
    head, body = await asyncio.wait_for(read_answer(reading), 30)
    assert head.startswith(b"HTTP/1.1 200 ")
    assert b"The end did not fit and was cut" in body
    assert await closed(unread[0]) < 200_000


async def test_a_call_ends_with_its_client(
    board: HostileBoard, open_one: Open, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More calls than are in work at once wait for a board that never ends its answer. Their clients leave."""
    from agent_board_client import mcp_http

    monkeypatch.setattr(mcp_http, "CALL_SECONDS", 600)
    board.parts = NEVER_DONE
    left = [await open_one() for _ in range(mcp_http.CALLS_AT_ONCE + 1)]
    for _, writer in left:
        writer.write(POST + CALL)
    await reached(board, mcp_http.CALLS_AT_ONCE)
    board.parts = answer("404 Not Found")
    for _, writer in left:
        writer.transport.abort()
    _, writer = client = await open_one()
    writer.write(POST + CALL)
    async with asyncio.timeout(30):
        _, body = await read_answer(client)
    assert json.loads(body)["result"]["isError"]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_calls_in_work_and_in_line_end_at_the_deadline(
    board: HostileBoard, open_one: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agent_board_client import mcp_http

    monkeypatch.setattr(mcp_http, "CALL_SECONDS", SECONDS)
    board.parts = NEVER_DONE
    callers = [await open_one() for _ in range(mcp_http.CALLS_AT_ONCE + 1)]
    for _, writer in callers:
        writer.write(POST + CALL)
    async with asyncio.timeout(30):
        for caller in callers:
            head, body = await read_answer(caller)
            assert head.startswith(b"HTTP/1.1 504 ")
            assert body == b"The call took too long.\n"


async def test_more_calls_than_the_line_has_room_for_are_refused(
    board: HostileBoard, open_one: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agent_board_client import mcp_http

    monkeypatch.setattr(mcp_http, "CALL_SECONDS", 600)
    monkeypatch.setattr(mcp_http, "CALLS_MAX", 2)
    board.parts = NEVER_DONE
    for number in (1, 2):
        (await open_one())[1].write(POST + CALL)
        await reached(board, number)
    _, writer = refused = await open_one()
    writer.write(POST + CALL)
    head, body = await asyncio.wait_for(read_answer(refused), 30)
    assert head.startswith(b"HTTP/1.1 503 ")
    assert b"\r\nretry-after: 5\r\n" in head.lower()
    assert body == b"Too many calls are waiting.\n"
