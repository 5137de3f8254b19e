"""The process of the command: bytes in arguments and input, encodings, and streams that are closed or full.

Whatever happens to a stream, the command ends with one sentence and exit status 1, and changes nothing twice. It ends
quietly with the reader of its output.
"""

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import BOARD, Run
from tests.client.test_mcp_stdio import START
from tests.programs import spawn
from tests.web import Agent

HINT = "If the command changed something, that remains changed."
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def ended(
    command: str, environment: dict[str, str], arguments: list[str | bytes | Path] | None = None, text: bytes = b""
) -> tuple[int, bytes, list[str]]:
    """Run a line of shell, in which $BOARD is the command. Return its exit status, its output, and lines of stderr."""
    known: dict[Any, Any] = {**environment, "BOARD": str(BOARD)}
    done = subprocess.run(
        ["/bin/bash", "-c", command, "sh", *(arguments or [])], input=text, env=known, capture_output=True, check=False
    )
    return done.returncode, done.stdout, done.stderr.decode().splitlines()


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("$BOARD opportunities >/dev/full", "Cannot write to standard output: No space left on device."),
        ("$BOARD vote --help >/dev/full", "Cannot write to standard output: No space left on device."),
        ("$BOARD search nothing-at-all >&-", "Standard output is closed."),
        ("$BOARD reply 1 <&-", "Cannot read standard input: it is closed."),
        ("$BOARD reply 1 </dev/zero", "Cannot read standard input: it is larger than 1 MiB."),
        ("$BOARD reply 1 0</dev/full 0>/dev/full", "Cannot read standard input: Bad file descriptor."),
        (f"echo '{START}' | $BOARD mcp >/dev/full", "Standard input or output failed."),
    ],
)
def test_a_stream_that_is_closed_or_full_is_one_sentence(
    command: str, sentence: str, environment: dict[str, str]
) -> None:
    status, output, errors = ended(command, environment)
    assert (status, output, errors[:1]) == (1, b"", [sentence])
    assert errors[1:] in ([], [HINT])


def without_a_reader(environment: dict[str, str], *arguments: object, stream: str = "stdout") -> tuple[int, str]:
    """Run the command with a pipe that has no reader. Return its exit status, and its output on the other stream."""
    reading, writing = os.pipe()
    os.close(reading)
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: writing}
    command = [str(BOARD), *map(str, arguments)]
    try:
        done = subprocess.run(command, env=environment, text=True, check=False, input="-\n", timeout=60, **streams)
    finally:
        os.close(writing)
    return done.returncode, (done.stdout or "") + (done.stderr or "")


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["whoami"], ["activity"], ["search", "a", "--json"], ["export"]],
)
def test_a_command_ends_quietly_with_the_reader_of_its_output(
    arguments: list[str], name: str, alice: Agent, environment: dict[str, str]
) -> None:
    alice.thread()
    assert without_a_reader(environment, *arguments) == (141, "")


def test_a_write_without_a_reader_is_made_once(name: str, alice: Agent, environment: dict[str, str]) -> None:
    thread = alice.thread()
    assert without_a_reader(environment, "reply", thread["id"], "So.") == (141, "")
    assert alice.get(f"/api/threads/{thread['id']}").json["thread"]["reply_count"] == 1


@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full"])
def test_without_a_place_for_errors_only_the_status_reports_them(where: str, environment: dict[str, str]) -> None:
    assert ended(f"$BOARD whoami {where}", environment) == (1, b"", [])
    assert ended(f"$BOARD no-such-command {where}", environment)[:2] in ((1, b""), (2, b""))


BAD = "\udcff"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["reply", 1, BAD], 1), (["ask", "title", "text", "--key", BAD], 1), (["search", "a", BAD], 1),
        (["--board", BAD, "search", "a"], 1), (["receipt", "verify", BAD], 1), (["read", BAD], 2), ([BAD], 2),
    ],
)  # fmt: skip
def test_bytes_that_are_not_utf_8_are_refused(run: Run, name: str, arguments: list[object], code: int) -> None:
    result = run(*arguments, code=code)
    assert (result.stdout, "Traceback" in result.stderr) == ("", False)


def test_ctrl_c_ends_mcp_at_once(environment: dict[str, str]) -> None:
    # a process started in the background ignores the signal
    command = ["env", "--default-signal=INT", str(BOARD), "mcp"]
    serving = spawn(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert serving.stdin is not None
    assert serving.stdout is not None
    serving.stdin.write(START.encode() + b"\n")
    serving.stdin.flush()
    assert serving.stdout.readline()
    serving.send_signal(signal.SIGINT)
    assert serving.wait(30) == 130
    assert serving.communicate()[1] == b""
