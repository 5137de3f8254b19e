"""The commands read .env and nothing else, and change the line of it that is in force."""

import subprocess
import sys
from pathlib import Path

import pytest

from deploy.compose.configuration import Configuration, defaults
from deploy.local.server import CHECKOUT


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "A=/new\n"),
        ("B=1", "B=1\nA=/new\n"),
        ("# A=/default\nB=1\n", "A=/new\nB=1\n"),
        ("# A=/default\nB=1\nA=/old\n", "# A=/default\nB=1\nA=/new\n"),
        ("A=/older\nA=/old\n# A=/default\n", "A=/older\nA=/new\n# A=/default\n"),
    ],
)
def test_a_setting_is_written_where_it_counts(before: str, after: str, tmp_path: Path) -> None:
    configuration = Configuration({"ENV_FILE": str(tmp_path / ".env")})
    configuration.file.write_text(before)
    configuration.write(A="/new")
    assert configuration.file.read_text() == after
    assert configuration["A"] == "/new"


def test_variables_of_the_shell_change_no_stack(tmp_path: Path) -> None:
    """The program `docker` writes down its environment; what Compose would substitute is in none of it."""
    file, seen = tmp_path / ".env", tmp_path / "seen"
    file.write_text("PORT=8000\nBASE_URL=http://board.example\nCOMPOSE_PROJECT_NAME=own\n")
    docker = tmp_path / "docker"
    docker.write_text(f"#!/bin/sh\nenv > {seen}\nexit 1\n")
    docker.chmod(0o755)
    hostile = {**dict.fromkeys(defaults(), "hostile"), "COMPOSE_PROJECT_NAME": "other", "DRILL_OF": "other"}
    shell = {**hostile, "PATH": f"{tmp_path}:/usr/bin:/bin", "ENV_FILE": str(file), "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "deploy.compose", "logs"]
    done = subprocess.run(command, cwd=CHECKOUT, env=shell, capture_output=True, text=True, check=False)
    assert f"has no effect: {file} counts." in done.stderr
    lines = seen.read_text().splitlines()
    names = {line.partition("=")[0] for line in lines}
    assert names & hostile.keys() == {"COMPOSE_FILE"}
    assert "COMPOSE_FILE=compose.yaml" in lines


def test_what_the_shell_gives_in_vain_is_reported(tmp_path: Path) -> None:
    configuration = Configuration({"ENV_FILE": str(tmp_path / ".env")})
    configuration.file.write_text("PORT=8000\n")
    shell = {"PORT": "9000", "COMPOSE_PROJECT_NAME": "other", "BIND": "0.0.0.0", "API_REPLICAS": "", "HOME": "/"}
    assert configuration.without_effect(shell) == ["COMPOSE_PROJECT_NAME", "PORT"]
