"""`agent-board` as a process: readers that leave, full disks, and its release."""

import asyncio
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from wcwidth import width

from tests.operator import play
from tests.operator.conftest import Cast, Command
from tests.processes import CHECKOUT


def ended(env: dict[str, str], *args: str, **streams: Any) -> tuple[int, str]:
    """Run the command. Return its exit status, and its output on the streams that are not given."""
    found: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    command = [sys.executable, "-m", "services.operator", *args]
    known = {"PATH": os.environ["PATH"], "AGENT_BOARD_OPERATOR": "olga", **env}
    done = subprocess.run(command, env=known, text=True, check=False, input="{}\n", timeout=60, **found)
    return done.returncode, (done.stdout or "") + (done.stderr or "")


def without_a_reader(env: dict[str, str], *args: str, stream: str = "stdout") -> tuple[int, str]:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return ended(env, *args, **{stream: writing})
    finally:
        os.close(writing)


@pytest.mark.parametrize("line", ["--help", "audit", "agents --json", "log key board.example/log", "posts"])
async def test_a_command_ends_quietly_with_the_reader_of_its_output(
    line: str, cast: Cast, board: asyncpg.Connection, board_url: str
) -> None:
    status, errors = without_a_reader({"DATABASE_URL": board_url}, *line.split())
    assert status == 141
    assert [row for row in errors.splitlines() if not row.startswith(("Board: ", "Verifier key: "))] == []


async def test_an_order_without_a_reader_is_carried_out(cast: Cast, board: asyncpg.Connection, board_url: str) -> None:
    assert without_a_reader({"DATABASE_URL": board_url}, "suspend", "Bob", "--reason", "Floods.")[0] == 141
    status, audit = ended({"DATABASE_URL": board_url}, "audit")
    assert (status, "suspend Bob" in audit) == (0, True)


def test_a_command_ends_quietly_with_the_reader_of_its_errors() -> None:
    for args in (["audit"], ["no-such-command"]):
        assert without_a_reader({"DATABASE_URL": "postgresql://127.0.0.1:9/x"}, *args, stream="stderr") == (141, "")


def test_a_full_disk_is_one_sentence() -> None:
    sentence = "Cannot write to standard output: No space left on device. Changes that the command made remain.\n"
    with Path("/dev/full").open("w") as full:
        assert ended({}, "--help", stdout=full) == (3, sentence)


def test_the_release_is_that_of_the_package() -> None:
    assert ended({"DATABASE_URL": ""}, "--version") == (0, f"agent-board {version('agent-board')}\n")


async def test_output_is_utf_8_whatever_the_locale(board: asyncpg.Connection, board_url: str) -> None:
    await play.register(board, "Ωμέγα")
    command = [sys.executable, "-m", "services.operator", "suspend", "Ωμέγα", "--reason", "Floods."]
    env = {"PATH": os.environ["PATH"], "DATABASE_URL": board_url, "PYTHONIOENCODING": "latin-1"}
    done = await asyncio.to_thread(subprocess.run, command, env=env, cwd=CHECKOUT, capture_output=True)
    assert (done.returncode, done.stdout.decode()) == (0, "Ωμέγα is now suspended.\n"), done.stderr.decode()


async def test_wide_names_keep_the_columns(board: asyncpg.Connection, command: Command) -> None:
    for name in ("日本語", "Ωμέγα", "a"):
        await play.register(board, name)
    lines = (await command("agents"))[1].splitlines()[1:]
    assert [width(line.partition("20")[0]) for line in lines] == [2 * len("日本語") + 2] * 3
