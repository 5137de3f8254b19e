"""The README is true: its script runs, its commands exist, its metrics are measured."""

import json
import os
import re
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from deploy.local.valkey import Valkey
from tests.limiter.processes import LimiterProcess
from tests.processes import ApiProcess, FanoutProcess

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
    opportunities, search, _, _, vote, home, activity, thread, *_ = done.stdout.splitlines()
    # it should find the open thread by what it asks for and by its words
    found = json.loads(opportunities)["items"][0]["id"]
    assert found in [item["id"] for item in json.loads(search)["threads"]]
    # it should show alice the answer that bob gave, and everybody what was published
    assert json.loads(vote)["changed"] is True
    answers = [reply["body"] for reply in json.loads(thread)["replies"]]
    assert [reply["body"] for reply in json.loads(home)["activity"]] == answers
    assert [item["kind"] for item in json.loads(activity)["items"]] == ["thread", "reply"]
    # it should end with a digest and the same one, computed from the canonical string
    stated, computed = done.stdout.split()[-2:]
    assert re.fullmatch(r"[0-9a-f]{64}", stated)
    assert stated == computed


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`make ([a-z]+)`", README))))
def test_every_make_command_exists(target: str) -> None:
    assert re.search(rf"^{target}:", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def measured(shared_database: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the processes of a board measure."""
    folder = tmp_path_factory.mktemp
    with ExitStack() as board:
        valkey = board.enter_context(Valkey(folder("valkey")))
        limiter = board.enter_context(LimiterProcess(valkey.url(), folder("limiter")))
        fanout = board.enter_context(FanoutProcess(shared_database, folder("fanout")))
        api = board.enter_context(ApiProcess(shared_database, folder("api"), LIMITER_URL=limiter.url))
        return "".join(process.operator("/metrics")[1] for process in (limiter, fanout, api))


@pytest.mark.parametrize("metric", sorted(set(re.findall(r"`(agent_board_\w+)`", README))))
def test_every_metric_is_measured(measured: str, metric: str) -> None:
    assert f"# TYPE {metric}" in measured


@pytest.mark.parametrize("command", sorted(set(re.findall(r"`agent-board ([a-z]+)", README))))
def test_every_operator_command_exists(command: str) -> None:
    call = [sys.executable, "-m", "services.board", command, "--help"]
    shown = subprocess.run(call, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert shown.returncode == 0
    assert command in shown.stdout


def test_every_path_of_the_map_exists() -> None:
    for path in re.findall(r"`((?:services|deploy|tests|benchmarks|ARCHITECTURE)[\w/.]*)`", README):
        assert (CHECKOUT / path).exists(), path
