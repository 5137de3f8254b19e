"""`board mcp --http` in a process of its own: many calls at once and many careless clients, within its memory.

A slow machine reaches the deadlines. A refusal must not come earlier, and a call that nothing competes with gets none.
"""

import asyncio
import re
import socket
import struct
import time
from asyncio import to_thread
from collections.abc import AsyncIterator
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import pytest_asyncio
import yaml

from agent_board_client.mcp_results import CHARACTERS_DEFAULT
from services.contract.bounds import BODY_MAX
from tests.client.conftest import StartMCP
from tests.client.hostile import ENDLESS_CONTENT, Endless, HostileBoard
from tests.client.largest import LargeBoard
from tests.client.test_mcp_deadlines import CALL as SMALL_CALL
from tests.client.test_mcp_deadlines import GET, POST
from tests.client.test_mcp_http import HEADERS
from tests.processes import CHECKOUT

# Calls at once: so many endless answers would not fit without the limit of calls that are answered at a time.
CALLS = {"largest": 30, "endless": 60}
CALL: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "board_activity"}}
# As the client's README states them, by the status of the refusal. Late heads are cut off.
DEADLINES = {408: 10, 504: 25}
CUT_SECONDS = 10
RESET = struct.pack("ii", 1, 0)


def limit_mib() -> int:
    """The memory of the container, in MiB."""
    composed = yaml.safe_load((CHECKOUT / "deploy" / "compose" / "mcp.yaml").read_text())
    return int(composed["services"]["mcp"]["deploy"]["resources"]["limits"]["memory"].removesuffix("m"))


def peak_mib(process: int) -> int:
    """The most memory that a process ever had, in MiB."""
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found
    return int(found[1]) >> 10


def largest_page() -> list[bytes]:
    """A page of as many posts of 16,000 characters that have four bytes each as a call reads."""
    return LargeBoard("\U0001f600" * BODY_MAX).parts_for(b"GET /api/activity?limit=15 HTTP/1.1")


async def call(client: httpx2.AsyncClient, address: str) -> str | None:
    """Return the text of a call's result, or None after a deadline has ended the call."""
    begun = time.monotonic()
    try:
        done = await client.post(address, json=CALL)
    except httpx2.TransportError:
        if time.monotonic() - begun < CUT_SECONDS:
            raise
        return None
    if done.status_code in DEADLINES:
        assert time.monotonic() - begun >= DEADLINES[done.status_code]
        return None
    assert done.status_code == 200
    return str(done.json()["result"]["content"][0]["text"])


@pytest_asyncio.fixture
async def board() -> AsyncIterator[HostileBoard]:
    async with HostileBoard() as board:
        yield board


@pytest.mark.parametrize("kind", ["largest", "endless"])
async def test_many_calls_at_once_stay_within_the_memory(kind: str, board: HostileBoard, start_mcp: StartMCP) -> None:
    board.parts = largest_page() if kind == "largest" else ENDLESS_CONTENT
    process, address = await to_thread(start_mcp, board.address)
    async with httpx2.AsyncClient(headers=HEADERS, timeout=120, limits=httpx2.Limits(max_connections=None)) as client:
        texts = await asyncio.gather(*(call(client, address) for _ in range(CALLS[kind])))
        by_themselves = [await call(client, address) for text in texts if text is None]
    for text in [*filter(None, texts), *by_themselves]:
        assert text
        assert ("The end did not fit and was cut" if kind == "largest" else "Ask for less.") in text
        assert len(text) <= CHARACTERS_DEFAULT
    print(f"\n{kind}: {CALLS[kind]} calls, {len(by_themselves)} of them twice, {peak_mib(process.pid)} MiB")
    assert peak_mib(process.pid) < 0.8 * limit_mib()


CARELESS = (
    b"", GET[:9], GET + GET[:9], POST, POST + SMALL_CALL[:20], POST + SMALL_CALL, (POST + SMALL_CALL) * 9,
    POST + b"x" * len(SMALL_CALL), b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(40),
)  # fmt: skip


async def misbehave(address: tuple[str, int], until: float, sent: bytes) -> None:
    """Connect, send something, and neither read nor close. Begin again when cut off; every third time, reset it."""
    loop = asyncio.get_running_loop()
    for number in range(1_000_000):
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.setblocking(False)
            try:
                await loop.sock_connect(client, address)
                await loop.sock_sendall(client, sent)
                while time.monotonic() < until:
                    await asyncio.sleep(0.5)
                    if number % 3 == 1:
                        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                        break
                    client.send(b"x" if sent else b"")
            except OSError:
                await asyncio.sleep(0.5)
        if time.monotonic() > until:
            return


@pytest.mark.parametrize("seconds", [4, pytest.param(60, marks=pytest.mark.slow)])
async def test_careless_clients_do_not_keep_out_others(seconds: int, board: HostileBoard, start_mcp: StartMCP) -> None:
    """600 clients leave their requests undone, their answers unread, or both, while others call."""
    board.parts = Endless(ENDLESS_CONTENT.beginning, ENDLESS_CONTENT.part)
    process, address = await to_thread(start_mcp, board.address)
    parts = urlsplit(address)
    assert parts.hostname
    assert parts.port
    peer, kinds = (parts.hostname, parts.port), cycle(CARELESS)
    silent = [await asyncio.open_connection(*peer) for _ in range(500)]
    until = time.monotonic() + seconds
    crowd = [asyncio.create_task(misbehave(peer, until, next(kinds))) for _ in range(100)]
    longest = 0.0
    while time.monotonic() < until:
        begun = time.monotonic()
        async with httpx2.AsyncClient(headers=HEADERS, timeout=60) as client:
            assert (await client.get(address.replace("/mcp", "/livez"))).text == "alive\n"
            text = await call(client, address)
        assert text is None or "Ask for less." in text
        longest = max(longest, time.monotonic() - begun)
    await asyncio.gather(*crowd)
    for _, writer in silent:
        writer.transport.abort()
    async with httpx2.AsyncClient(headers=HEADERS, timeout=60) as client:
        assert "Ask for less." in str(await call(client, address))
    assert process.poll() is None
    print(f"\n{seconds} s: at most {longest:.1f} s for others, {peak_mib(process.pid)} MiB")
    assert peak_mib(process.pid) < 0.8 * limit_mib()
