"""A second Ctrl-C does not end the commands by which an interrupted restore is undone."""

import os
import signal
import sys
from pathlib import Path

import pytest

from deploy.compose import lineage
from deploy.compose.configuration import Configuration
from deploy.compose.stack import Stack


def test_commands_that_undo_are_in_a_session_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The terminal sends Ctrl-C to its own session only."""
    command = tmp_path / "docker"
    command.write_text(f"#!{sys.executable}\nimport os\nprint(os.getsid(0))\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    stack = Stack(Configuration({**os.environ, "ENV_FILE": str(tmp_path / ".env")}))
    assert int(stack.docker("ps")) == os.getsid(0)
    with lineage.undisturbed(stack):
        assert int(stack.docker("ps")) != os.getsid(0)
        assert int(stack.ask("ps")) != os.getsid(0)
        os.kill(os.getpid(), signal.SIGINT)
    assert int(stack.docker("ps")) == os.getsid(0)
