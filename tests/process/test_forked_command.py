"""A command that a fork server runs for tests ends as a process of its own would, and never outlives the program."""

import signal
import subprocess
from pathlib import Path

import pytest

from tests.client.test_mcp_stdio import START
from tests.forked import SERVER


def start(home: Path) -> "subprocess.Popen[str]":
    """Start a command that waits for its input, once it has answered."""
    command = [SERVER.command("board"), "mcp"]
    env = {"AGENT_BOARD_HOME": str(home), "AGENT_BOARD_URL": "http://127.0.0.1:9"}
    process = subprocess.Popen(command, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{START}\n")
    process.stdin.flush()
    assert '"result"' in process.stdout.readline()
    return process


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_signal_ends_the_command_behind_the_program(number: signal.Signals, tmp_path: Path) -> None:
    with start(tmp_path) as process:
        process.send_signal(number)
        assert process.stdout is not None
        # the output ends when no process has it any more
        assert process.stdout.read() == ""
        assert process.wait(30) in (-number, 128 + number)


def test_the_command_ends_with_its_input(tmp_path: Path) -> None:
    with start(tmp_path) as process:
        assert process.communicate(timeout=30)[0] == ""
        assert process.returncode == 0
