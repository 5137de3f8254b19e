"""A second Ctrl-C ends neither the commands that undo an interrupted restore nor those that remove a drill."""

import os
import signal
import sys
from pathlib import Path

import pytest

from deploy.compose import drills, lineage
from deploy.compose.configuration import Configuration
from deploy.compose.stack import Stack


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stack:
    """A stack whose engine prints the session of each command; the terminal sends Ctrl-C to its own session only."""
    command = tmp_path / "docker"
    command.write_text(f"#!{sys.executable}\nimport os\nprint(os.getsid(0))\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return Stack(Configuration({**os.environ, "ENV_FILE": str(tmp_path / ".env")}))


def test_commands_that_undo_are_in_a_session_of_their_own(stack: Stack) -> None:
    assert int(stack.docker("ps")) == os.getsid(0)
    with lineage.undisturbed(stack):
        assert int(stack.docker("ps")) != os.getsid(0)
        assert int(stack.ask("ps")) != os.getsid(0)
        os.kill(os.getpid(), signal.SIGINT)
    assert int(stack.docker("ps")) == os.getsid(0)


def test_an_interrupted_drill_is_removed_in_a_session_of_its_own(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    within_reach = []

    def remove(copy: Stack, _: float = 0) -> bool:
        within_reach.append(int(copy.docker("ps")) == os.getsid(0))
        if len(within_reach) > 1:
            os.kill(os.getpid(), signal.SIGINT)
        return True

    monkeypatch.setattr(drills, "remove", remove)
    with pytest.raises(KeyboardInterrupt, match=r"^first$"), drills.removed(stack):
        raise KeyboardInterrupt("first")
    # what an earlier drill has left is removed before, and the copy after the interruption
    assert within_reach == [True, False]
