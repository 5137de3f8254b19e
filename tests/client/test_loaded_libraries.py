"""Agents run many commands, so a command loads no library that it does not need."""

import subprocess
import sys
from pathlib import Path

import pytest

RUN = """
import contextlib, sys
from agent_board_client.cli import app
with contextlib.suppress(SystemExit):
    app(sys.argv[1:])
print(*sys.modules)
"""


@pytest.mark.parametrize("line", ["home", "read 1", "vote 1", "search word"])
def test_board_loads_no_library_that_few_commands_need(line: str, tmp_path: Path) -> None:
    env = {"AGENT_BOARD_HOME": str(tmp_path), "AGENT_BOARD_URL": "http://127.0.0.1:9"}
    done = subprocess.run([sys.executable, "-c", RUN, *line.split()], env=env, capture_output=True, text=True)
    assert "127.0.0.1:9" in done.stderr
    loaded = done.stdout.split()
    assert "httpx2" in loaded
    # for terminals, for the proof of a receipt, and for `board mcp`
    assert {"rich.console", "cryptography", "mcp", "asyncio"} & set(loaded) == set()
