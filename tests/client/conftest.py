"""Fixtures for the client: both of its forms, on the shared board, with files in a folder of the test."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from agent_board_client import AsyncBoard, Board, conversation
from tests.client.lossy import Caller, LossyProxy
from tests.processes import ApiProcess

Open = Callable[..., Caller]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of the pauses matters to these tests, not their length."""
    monkeypatch.setattr(conversation, "PAUSES", (0.01,) * 5)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest_asyncio.fixture
async def proxy(api: ApiProcess) -> AsyncIterator[LossyProxy]:
    async with LossyProxy(api.port) as proxy:
        yield proxy


@pytest_asyncio.fixture(params=[Board, AsyncBoard], ids=["sync", "async"])
async def open_client(request: pytest.FixtureRequest) -> AsyncIterator[Open]:
    """Opens clients of one form, which are closed after the test."""
    opened: list[Caller] = []

    def open_one(address: str, **options: object) -> Caller:
        opened.append(Caller(request.param(address, **options)))
        return opened[-1]

    yield open_one
    for caller in opened:
        await caller.close()
