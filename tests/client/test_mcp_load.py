"""`board mcp --http` in a process of its own: many calls and many careless clients, within its memory."""

import asyncio
import re
from asyncio import to_thread
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio
import yaml

from agent_board_client.mcp_results import CHARACTERS_MAX
from agent_board_client.mcp_transports import CALL_SECONDS, CALLS_AT_ONCE
from services.contract.bounds import BODY_MAX
from tests.client.conftest import PUBLIC, StartMCP
from tests.client.hostile import ENDLESS_CONTENT, Endless, HostileBoard
from tests.client.largest import LargeBoard
from tests.client.test_mcp_http import HEADERS
from tests.processes import CHECKOUT

# Calls at once: this many endless answers would not fit without the limit of calls that are answered at a time.
CALLS = {"largest": 30, "endless": 60}
CALL: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "board_activity"}}
LATE = "The call took too long."


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
    """Return the text of a call's result, or None after the deadline has ended the call."""
    done = (await client.post(address, json=CALL)).raise_for_status().json()
    if "error" in done:
        assert done["error"]["message"] == LATE
        return None
    return str(done["result"]["content"][0]["text"])


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
        assert len(text) <= CHARACTERS_MAX
    print(f"\n{kind}: {CALLS[kind]} calls, {len(by_themselves)} of them twice, {peak_mib(process.pid)} MiB")
    assert peak_mib(process.pid) < 0.8 * limit_mib()


async def test_calls_in_work_and_in_line_end_at_the_deadline(
    board: HostileBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mcp.client.client import Client
    from mcp.shared.exceptions import MCPError

    from agent_board_client import AsyncBoard, mcp_transports
    from agent_board_client.mcp_server import public_server_for

    assert CALL_SECONDS < 30  # HAProxy's timeout server
    monkeypatch.setattr(mcp_transports, "CALL_SECONDS", 3)
    board.parts = Endless(b"HTTP/1.1 200 OK\r\n\r\n", b"")
    async with AsyncBoard(board.address) as asked:
        server = public_server_for(asked, PUBLIC)
        mcp_transports.bound_calls(server)
        async with Client(server) as client:
            calls = [asyncio.create_task(client.call_tool("board_activity", {})) for _ in range(CALLS_AT_ONCE + 4)]
            # those in line do not ask the board before one of the others has ended
            await asyncio.sleep(1)
            assert len(board.heads) <= CALLS_AT_ONCE + sum(call.done() for call in calls)
            ends = await asyncio.gather(*calls, return_exceptions=True)
    assert {str(end) for end in ends if isinstance(end, MCPError)} == {LATE}
    assert len(ends) == CALLS_AT_ONCE + 4
