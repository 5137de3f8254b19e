"""Settings that a process would refuse are found before any container is replaced."""

import subprocess
import sys
from pathlib import Path

import pytest

from deploy.compose import process_settings
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack
from deploy.environment import CHECKOUT

# Both processes read LOG_LEVEL, and one of them another setting.
DOCKER = """#!/bin/sh
case "$*" in
    "image inspect"*) IMAGE ;;
    *" api "*) echo "LOG_LEVEL is wrong."; echo "LIMIT_POSTS is wrong." ;;
    *" fanout "*) echo "LOG_LEVEL is wrong." ;;
esac
"""
GIVEN = {"DATABASE_URL": "postgresql://127.0.0.1/board", "READ_DATABASE_URL": "postgresql://127.0.0.1/board"}


def stack(folder: Path, image: str) -> Stack:
    docker = folder / "docker"
    docker.write_text(DOCKER.replace("IMAGE", image))
    docker.chmod(0o755)
    return Stack(Configuration({"PATH": f"{folder}:/usr/bin:/bin", "ENV_FILE": str(folder / ".env")}))


def test_what_processes_refuse_is_named_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(StackError, match=r"^LOG_LEVEL is wrong\.\nLIMIT_POSTS is wrong\.$"):
        process_settings.check(stack(tmp_path, "echo sha256:1"))
    # The image would be built or pulled for the question.
    process_settings.check(stack(tmp_path, "exit 1"))


@pytest.mark.parametrize(
    ("given", "said"),
    [({}, ""), ({"LIMIT_POSTS": "10"}, "LIMIT_POSTS must be calls/seconds, such as 10/60.\n")],
)
def test_the_process_itself_judges(given: dict[str, str], said: str) -> None:
    command = [sys.executable, "-c", process_settings.JUDGE]
    done = subprocess.run(command, cwd=CHECKOUT, env={**GIVEN, **given}, capture_output=True, text=True, check=True)
    assert done.stdout == said
