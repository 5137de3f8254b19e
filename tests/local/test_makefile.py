"""`make` lists its targets for newcomers."""

import os
import subprocess
from pathlib import Path

from deploy.environment import CHECKOUT


def make(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    # These tests may themselves be run by make, whose variables are not meant for this one.
    ours = ("MAKEFLAGS", "MAKELEVEL", "PYTHON", "KUBECONFIG", "ARGS", "WORKERS")
    env = {name: value for name, value in os.environ.items() if name not in ours} | variables
    return subprocess.run(["make", *arguments], cwd=CHECKOUT, env=env, capture_output=True, text=True, check=False)


def test_make_alone_prints_the_commands() -> None:
    printed = make().stdout
    commands = "run test check format migrate bench clean up down logs roll upgrade backup restore doctor"
    for command in commands.split():
        assert f"\n  make {command} " in printed


def test_a_missing_python_is_one_sentence() -> None:
    said = make("--always-make", "PYTHON=no-such-python", ".venv/ready").stdout
    assert said.startswith("no-such-python is missing: install Python 3.11 or newer")


def test_an_old_python_is_one_sentence(tmp_path: Path) -> None:
    old = tmp_path / "python"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.9.2" || exit 1\n')
    old.chmod(0o755)
    said = make("--always-make", f"PYTHON={old}", ".venv/ready").stdout
    assert "Python 3.9.2: Python 3.11 or newer is needed" in said


def test_a_change_of_the_contract_installs_the_client_again() -> None:
    """Otherwise tests of the board that serves the client would fail, until it was installed by hand."""
    for source in ("services/contract/answers/posts.py", "services/operator/streams.py", "clients/generator/models.py"):
        commands = make("-n", f"--what-if={source}", "contract").stdout.splitlines()
        assert any("deploy/environment.py dev" in command for command in commands), source


def test_check_reports_what_fails_in_the_stack_and_in_the_other_tests() -> None:
    for tests, stack, code in (("true", "true", 0), ("false", "true", 2), ("true", "false", 2)):
        parts = {"PYTEST": tests, "PYTEST_STACK": f"echo the stack;{stack}"}
        arguments = [f"{name}={value}" for name, value in parts.items()]
        done = make("--keep-going", "--assume-old=.venv/ready", *arguments, "checked-tests", "checked-stack")
        assert done.returncode == code, done.stderr
        assert "the stack" in done.stdout.splitlines()
