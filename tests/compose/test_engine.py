"""One sentence reports why the stack cannot start: no engine, an old Compose, a taken port, a full disk."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.compose.__main__ import COMMANDS

Say = Callable[..., str]


@pytest.fixture
def say(tmp_path: Path) -> Say:
    """Runs a stack command with a script of the test as `docker`; returns the sentence that reports the failure."""
    (tmp_path / ".env").touch()

    def run(*command: str, docker: str | None) -> str:
        programs = tmp_path / "bin"
        programs.mkdir(exist_ok=True)
        if docker is not None:
            (programs / "docker").write_text(f"#!/bin/sh\n{docker}\n")
            (programs / "docker").chmod(0o755)
        env = {"PATH": str(programs), "ENV_FILE": str(tmp_path / ".env")}
        done = subprocess.run(
            [sys.executable, "-m", "deploy.compose", *command], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1, done
        return done.stderr.strip()

    return run


def test_no_engine_is_one_sentence(say: Say) -> None:
    assert say("up", docker=None) == (
        "make up: No container engine is available: the command docker is missing; install Docker Engine and Docker "
        "Compose."
    )
    said = say("up", docker="echo 'Cannot connect to the Docker daemon at unix:///x.' >&2; exit 1")
    assert said == (
        "make up: No container engine is available: docker version failed: Cannot connect to the Docker daemon at unix:///x."
    )


@pytest.mark.parametrize("version", ["2.25.0", "v2.3.4", "1.29.2"])
def test_an_old_compose_is_one_sentence(say: Say, version: str) -> None:
    said = say("up", docker=f'[ "$1" = compose ] && echo {version} || echo 20.10')
    assert said == old_compose(version)


def old_compose(found: str) -> str:
    return (
        f"make up: Docker Compose 2.26 or newer is needed, and that of `docker compose version` is {found}. Install "
        "Docker's package docker-compose-plugin, or Debian's docker-compose."
    )


def test_a_missing_compose_is_one_sentence(say: Say) -> None:
    assert say("up", docker='[ "$1" = compose ] && exit 1 || echo 20.10') == old_compose("missing")


@pytest.mark.parametrize("command", sorted({*COMMANDS} - {"secrets", "up"}))
def test_missing_settings_are_one_sentence(say: Say, tmp_path: Path, command: str) -> None:
    (tmp_path / ".env").unlink()
    file = os.path.relpath(tmp_path / ".env")
    assert say(command, docker="echo 2.26.1") == (
        f"make {command}: {file} is missing: put your copy back, or run make secrets for a new one."
    )


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("PORT=abc", "PORT must be a whole number from 1 to 65535."),
        ("PORT=65536", "PORT must be a whole number from 1 to 65535."),
        ("BIND=foo", "BIND must be an IP address of this machine, such as 127.0.0.1."),
        ("API_REPLICAS=two", "API_REPLICAS must be a whole number from 1 to 20."),
        ("API_REPLICAS=0", "API_REPLICAS must be a whole number from 1 to 20."),
        ("API_REPLICAS=21", "API_REPLICAS must be a whole number from 1 to 20."),
        ("FANOUT_REPLICAS=-1", "FANOUT_REPLICAS must be a whole number from 1 to 20."),
        ("LIMITER_REPLICAS=many", "LIMITER_REPLICAS must be a whole number from 1 to 20."),
        ("BACKUP_HOURS=soon", "BACKUP_HOURS must be a whole number from 1 to 9999."),
        ("BACKUP_FULL_DAYS=0", "BACKUP_FULL_DAYS must be a whole number from 1 to 9999."),
        ("BACKUP_DAYS=1.5", "BACKUP_DAYS must be a whole number from 1 to 9999."),
    ],
)
def test_a_setting_that_compose_accepts_or_does_not_name_is_one_sentence(
    say: Say, tmp_path: Path, setting: str, sentence: str
) -> None:
    (tmp_path / ".env").write_text(f"{setting}\n")
    assert say("up", docker="exit 1") == f"make up: {sentence}"


@pytest.mark.parametrize("command", [["logs"], ["roll"], ["doctor"]])
def test_a_stack_that_does_not_run_is_one_sentence(say: Say, command: list[str]) -> None:
    answers = """case "$*" in *config*) echo '{"name": "board"}' ;; *version*) echo 2.26.1 ;; esac"""
    said = say(*command, docker=answers)
    assert said == f"make {command[0]}: The stack is not running; start it with make up."
