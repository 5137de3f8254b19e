"""The commands report in one sentence what they cannot do."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from deploy.environment import CHECKOUT
from tests.programs import needs

ALIAS = re.compile(r"alias (?:k|agent-board)='[^']+'")
# It gives a command in a pod no standard input without -i.
KUBECTL = """#!/bin/sh
options=
while [ "$1" != -- ]; do options="$options $1 "; shift; done
shift
case "$options" in *" -i "*) exec "$@" ;; esac
exec "$@" < /dev/null
"""
AGENT_BOARD = """#!/bin/sh
echo "$AGENT_BOARD_OPERATOR: $*"
cat
"""


def run(name: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a command as `make` does."""
    command = [sys.executable, "-m", "deploy.k8s", name]
    outside = {each: value for each, value in os.environ.items() if each not in ("CONTEXT", "OVERLAY")}
    environment = {**outside, **environment}
    return subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)


def test_an_unknown_command_shows_the_usage() -> None:
    done = run("start")
    assert (done.returncode, done.stderr) == (2, "usage: python3 -m deploy.k8s {up,down,doctor}\n")


def test_without_kubectl_they_say_so(tmp_path: Path) -> None:
    done = run("up", PATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (1, "make k8s-up: The command kubectl is missing; install it.\n")


def test_without_a_kubeconfig_they_ask_for_a_context(tmp_path: Path) -> None:
    needs("kubectl", "kubernetes-client")
    done = run("down", KUBECONFIG=str(tmp_path / "none"))
    expected = "make k8s-down: The kubeconfig has no current context. Name one: CONTEXT=...\n"
    assert (done.returncode, done.stderr) == (1, expected)


def test_a_cluster_that_does_not_answer_is_named(tmp_path: Path) -> None:
    needs("kubectl", "kubernetes-client")
    kubeconfig = tmp_path / "kubeconfig"
    cluster = {"name": "kind-board", "cluster": {"server": "https://127.0.0.1:9"}}
    context = {"name": "kind-board", "context": {"cluster": "kind-board", "user": ""}}
    kubeconfig.write_text(
        json.dumps({"clusters": [cluster], "contexts": [context], "current-context": "kind-board", "kind": "Config"})
    )
    done = run("doctor", KUBECONFIG=str(kubeconfig))
    assert done.returncode == 1
    assert done.stderr.startswith("make k8s-doctor: The cluster kind-board does not answer: ")


def test_an_empty_choice_is_refused() -> None:
    for variable in ("CONTEXT", "OVERLAY"):
        for value in ("", " "):
            done = run("down", **{variable: value})
            assert (done.returncode, done.stderr) == (1, f"make k8s-down: {variable} is empty; leave it out.\n")


def test_the_documented_alias_passes_names_and_the_operator(tmp_path: Path) -> None:
    for name, script in {"kubectl": KUBECTL, "agent-board": AGENT_BOARD}.items():
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    aliases = ALIAS.findall((CHECKOUT / "deploy/k8s/README.md").read_text())
    lines = "\n".join([*aliases, "echo smith_1 | agent-board suspend -", "id -un"])
    path = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    shell = ["bash", "-O", "expand_aliases"]
    done = subprocess.run(shell, env=path, input=lines, capture_output=True, text=True, check=False)
    operator = done.stdout.splitlines()[-1]
    assert done.stdout == f"{operator}: suspend -\nsmith_1\n{operator}\n"
