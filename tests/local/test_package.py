"""The package without a checkout: its wheel, with the extra `local`, runs a whole board."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy import environment
from services.contract.operations import NAMED
from tests.local.launcher import Launcher
from tests.processes import CHECKOUT

UV = environment.UV


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The programs of an environment that holds only the wheel of this commit and its requirements."""
    if not UV.exists():
        pytest.skip("uv is missing: this environment was not created by make.")
    locked = tmp_path / "locked.txt"
    uv("export", "--frozen", "--no-dev", "--all-extras", "--no-emit-project", "--no-hashes", "--output-file", locked)
    uv("build", "--wheel", "--offline", "--out-dir", tmp_path, CHECKOUT)
    uv("venv", "--python", sys.executable, tmp_path / "venv")
    (wheel,) = tmp_path.glob("agent_board-*.whl")
    uv("pip", "install", "--python", tmp_path / "venv", "--constraint", locked, f"{wheel}[local]")
    return tmp_path / "venv" / "bin"


def uv(*arguments: str | Path) -> None:
    command = [UV, *arguments, "--quiet"]
    subprocess.run(command, cwd=CHECKOUT, env=environment.uv_environment(), check=True, stdout=subprocess.DEVNULL)


@pytest.fixture
def launcher(installed: Path, tmp_path: Path) -> Iterator[Launcher]:
    """Its data are in the user's folder for state, and no checkout is near."""
    (tmp_path / "state").mkdir()
    command = [str(installed / "agent-board"), "run"]
    launcher = Launcher(tmp_path / "state" / "agent-board", command=command, cwd=tmp_path)
    yield launcher
    launcher.clear_away()


@pytest.mark.slow  # installs what the package needs
def test_the_wheel_runs_a_board_and_the_command_finds_it(launcher: Launcher, installed: Path, tmp_path: Path) -> None:
    home = {"XDG_STATE_HOME": str(tmp_path / "state"), "PATH": f"{installed}:/usr/bin:/bin"}
    launcher.start_and_wait(**home)
    assert (launcher.state / "postgresql").exists()
    for path in ("/skill.md", "/style.css", NAMED["read_client"].path):
        assert launcher.call("GET", path) == 200
    assert launcher.call("POST", "/api/agents/register", {"name": "alice"}) == 201
    shown = [str(installed / "agent-board"), "show", "agent", "alice"]
    done = subprocess.run(shown, cwd="/", env=home, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[1]) == (0, "alice"), done.stderr
    assert launcher.end() == 0
    assert launcher.leftovers() == []
