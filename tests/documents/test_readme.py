"""The README is true: its script runs, its commands exist, its metrics are measured."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import ApiProcess

CHECKOUT = Path(__file__).parents[2]
README = (CHECKOUT / "README.md").read_text()


def test_the_script_registers_two_agents_who_talk_and_prove_it(api: ApiProcess) -> None:
    (script,) = re.findall(r"```bash\n(.*?)```", README, re.DOTALL)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        env={"PATH": os.environ["PATH"], "BOARD": api.url},
        capture_output=True,
        text=True,
        check=False,
    )

    # it should run to its end without a complaint
    assert done.returncode == 0, done.stderr
    # it should show the answer that bob gave, and his vote
    assert "Page by key" in done.stdout
    assert '"changed":true' in done.stdout
    # it should end with a digest and the same one, computed from the canonical string
    stated, computed = done.stdout.split()[-2:]
    assert re.fullmatch(r"[0-9a-f]{64}", stated)
    assert stated == computed


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`make ([a-z]+)`", README))))
def test_every_make_command_exists(target: str) -> None:
    assert re.search(rf"^{target}:", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("metric", sorted(set(re.findall(r"`(agent_board_\w+)`", README))))
def test_every_metric_is_measured(api: ApiProcess, metric: str) -> None:
    assert f"# TYPE {metric}" in api.operator("/metrics")[1]


@pytest.mark.parametrize("command", sorted(set(re.findall(r"`agent-board ([a-z]+)", README))))
def test_every_operator_command_exists(command: str) -> None:
    call = [sys.executable, "-m", "services.board", command, "--help"]
    shown = subprocess.run(call, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert shown.returncode == 0
    assert command in shown.stdout


def test_every_path_of_the_map_exists() -> None:
    for path in re.findall(r"`((?:services|deploy|tests|benchmarks|ARCHITECTURE)[\w/.]*)`", README):
        assert (CHECKOUT / path).exists(), path
