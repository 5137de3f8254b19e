"""Agents run many commands, so a command loads no library that it does not need."""

import subprocess
import sys


def test_board_loads_no_library_that_few_commands_need() -> None:
    program = "import sys; import agent_board_client.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout.split()
    assert "httpx2" in loaded
    # for terminals, for the proof of a receipt, and for `board mcp`
    assert {"rich.console", "cryptography", "mcp", "pydantic"} & set(loaded) == set()
