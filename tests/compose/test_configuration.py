"""The commands read .env and nothing else."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.compose.configuration import Configuration, defaults
from deploy.environment import CHECKOUT


def test_a_byte_order_mark_is_no_part_of_the_first_setting(tmp_path: Path) -> None:
    configuration = Configuration({"ENV_FILE": str(tmp_path / ".env")})
    configuration.file.write_text("\ufeffPORT=8123\r\nBASE_URL=http://board.example\r\n", encoding="utf-8")
    assert (configuration["PORT"], configuration["BASE_URL"]) == ("8123", "http://board.example")


def test_variables_of_the_shell_change_no_stack(tmp_path: Path) -> None:
    """The program `docker` writes down its environment; what Compose would substitute is in none of it."""
    file, seen = tmp_path / ".env", tmp_path / "seen"
    file.write_text("PORT=8000\nBASE_URL=http://board.example\nCOMPOSE_PROJECT_NAME=own\n")
    docker = tmp_path / "docker"
    docker.write_text(f"#!/bin/sh\nenv > {seen}\nexit 1\n")
    docker.chmod(0o755)
    hostile = {**dict.fromkeys(defaults(), "hostile"), "COMPOSE_PROJECT_NAME": "other"}
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


def test_a_misspelt_setting_is_reported_with_the_nearest_one(tmp_path: Path) -> None:
    configuration = Configuration({"ENV_FILE": str(tmp_path / ".env")})
    configuration.file.write_text("LIMIT_POST=1/60\n")
    said = [".env sets LIMIT_POST, which nothing reads; did you mean LIMIT_POSTS?"]
    assert list(configuration.unknown()) == said


@pytest.mark.parametrize("value", ["", " ", '""'])
def test_a_setting_without_a_value_is_refused_by_its_name(tmp_path: Path, value: str) -> None:
    """An empty limit, address or number would count as not given."""
    file = tmp_path / ".env"
    settings = [name for name in defaults() if not name.startswith("RUN_AS_")]
    for name in settings:
        file.write_text(f"{name}={value}\nRUN_AS_UID=\n# BIND=\n")
        assert Configuration({"ENV_FILE": str(file)}).empty() == [name]
    command = [sys.executable, "-m", "deploy.compose", "down"]
    env = {"PATH": str(tmp_path), "ENV_FILE": str(file)}
    done = subprocess.run(command, cwd=CHECKOUT, env=env, capture_output=True, text=True, check=False)
    expected = f"make down: In {file}, {settings[-1]} has no value; leave it out.\n"
    assert (done.returncode, done.stderr) == (1, expected)


@pytest.mark.parametrize("value", ["", " "])
def test_make_refuses_an_empty_variable(value: str) -> None:
    choices = re.search(r"^CHOICES = ((?:.*\\\n)*.*)$", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)
    assert choices is not None
    for name in choices[1].replace("\\\n", " ").split():
        on_the_line = ["make", "--dry-run", "help", f"{name}={value}"]
        for command, env in ((on_the_line, {}), (on_the_line[:3], {name: value})):
            surroundings = {"PATH": "/usr/bin:/bin", **env}
            done = subprocess.run(command, cwd=CHECKOUT, env=surroundings, capture_output=True, text=True, check=False)
            assert (done.returncode, f"*** {name} is empty; leave it out." in done.stderr) == (2, True), command
