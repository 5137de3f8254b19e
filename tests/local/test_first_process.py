"""The first process of a container: no signal ends it unless it handles it, and it inherits what others leave."""

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from deploy.environment import CHECKOUT
from tests.local.launcher import Launcher
from tests.programs import needs
from tests.waiting import wait_until

LOADING = "import sys, time\nprint('loading', flush=True)\ntime.sleep(60)\n"
ENTRY_POINT = "deploy/image/entrypoint.py"


def as_first() -> list[str]:
    """Return the command that runs another one as the first process of a PID namespace."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-current-user"]
    return [needs("unshare", "util-linux"), *user, "--pid", "--fork", "--mount-proc", "--kill-child"]


@pytest.mark.parametrize(
    "words",
    [["-m", "services.operator", "run"], [ENTRY_POINT, "all"], [ENTRY_POINT, "api"]],
    ids=["run", "all", "api"],
)
def test_sigterm_ends_it_while_it_is_loading(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "asyncpg.py").write_text(LOADING)
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{tmp_path}:{CHECKOUT}"}
    command = [*as_first(), sys.executable, *words]
    with subprocess.Popen(command, env=env, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True) as outside:
        assert outside.stdout is not None
        assert outside.stdout.readline() == "loading\n"
        (first,) = psutil.Process(outside.pid).children()
        first.terminate()
        try:
            wait_until(lambda: outside.poll() is not None, 20)
        finally:
            outside.kill()
    assert outside.returncode == 143


@pytest.mark.slow
def test_it_collects_what_others_leave_and_stops_everything_at_sigterm(launcher: Launcher) -> None:
    launcher.command = [*as_first(), *launcher.command]
    launcher.start_and_wait()
    (first,) = psutil.Process(launcher.process.pid).children()
    enter = [
        "nsenter",
        f"--target={first.pid}",
        "--pid",
        *(["--user", "--preserve-credentials"] if os.geteuid() else []),
    ]
    # as of a shell in the container that started something and was left
    subprocess.run([*enter, "sh", "-c", "sleep 1 & sleep 1 & sleep 1 &"], check=True)
    orphans = [each for each in first.children() if each.name() == "sleep"]
    assert len(orphans) == 3
    wait_until(lambda: not any(each.is_running() for each in orphans))
    first.terminate()
    assert launcher.process.wait(60) == 0
    assert launcher.output.endswith("The board has stopped; its data is kept.\n")
    assert launcher.leftovers(0) == []
