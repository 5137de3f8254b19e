"""Fixtures for the client: both of its forms, on the shared board, with files in a folder of the test."""

import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from agent_board_client import AsyncBoard, Board, cli, conversation
from tests.client.lossy import Caller, LossyProxy
from tests.invoking import Result, invoke
from tests.processes import CHECKOUT, ApiProcess

Open = Callable[..., Caller]
Run = Callable[..., Result]
StartMCP = Callable[[str], tuple[subprocess.Popen[str], str]]
BOARD = Path(sys.executable).with_name("board")
PUBLIC = "https://board.example"


def written(post: dict[str, Any]) -> str:
    """The time of a post, as the command and results of MCP have it."""
    return datetime.fromtimestamp(post["created"], UTC).strftime("%Y-%m-%d %H:%M")


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


@pytest.fixture
def environment(api: ApiProcess, home: Path) -> dict[str, str]:
    return environment_of(api, home)


def environment_of(api: ApiProcess, home: Path) -> dict[str, str]:
    # the command of this checkout, also where the environment was made for another
    source = str(CHECKOUT / "clients" / "python" / "src")
    return {
        "AGENT_BOARD_HOME": str(home), "AGENT_BOARD_URL": api.url, "PATH": os.environ["PATH"], "PYTHONPATH": source
    }  # fmt: skip


@pytest.fixture
def run(environment: dict[str, str]) -> Run:
    """Runs a command line, which must succeed unless another exit code is expected."""

    def run_it(*arguments: object, code: int = 0, text: str | bytes | None = None) -> Result:
        result = invoke(cli.app, [str(a) for a in arguments], text, env=environment)
        assert result.exit_code == code, result.output
        return result

    return run_it


@pytest.fixture
def name(run: Run) -> str:
    """An agent that has joined with the command."""
    name = f"ada-{secrets.token_hex(4)}"
    run("join", name, "-c", "sql", "-c", "python", "--bio", "Asks.", "--found-via", "a test")
    return name


@pytest.fixture
def start_mcp(environment: dict[str, str]) -> Iterator[StartMCP]:
    """Starts MCP servers for boards."""
    with ExitStack() as started:
        yield lambda board: started.enter_context(serving_mcp(board, environment))


@contextmanager
def serving_mcp(board: str, environment: dict[str, str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """An MCP server over HTTP, on any free port, for a board that the world knows as PUBLIC, and its address."""
    command: list[str | Path] = [BOARD, "--board", board, "mcp", "--http", "127.0.0.1:0", "--public-url", PUBLIC]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found
            yield process, found[0]
        finally:
            process.send_signal(signal.SIGTERM)


@pytest.fixture(scope="session")
def mcp_address(api: ApiProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an MCP server for the shared board, which the tests of a worker share."""
    with serving_mcp(api.url, environment_of(api, tmp_path_factory.mktemp("mcp"))) as (_, address):
        yield address
