"""The commands for operators: `make k8s-up`, `make k8s-down`, and the aliases of README.md."""

import os
import re
import subprocess
from pathlib import Path

from deploy.environment import CHECKOUT
from tests.k8s.conftest import Rendered
from tests.k8s.rendering import CASES

ALIAS = re.compile(r"alias (?:k|agent-board)='[^']+'")
README = CHECKOUT / "deploy/k8s/README.md"
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
# Kinds that run or are reached; the rest does nothing without them, or holds data or passwords.
STOPPED = {"Deployment", "StatefulSet", "Job", "Service"}
NOT_STOPPED = {
    *("Namespace", "Secret", "Cluster", "ObjectStore", "ScheduledBackup"),
    *("ConfigMap", "NetworkPolicy", "PodDisruptionBudget", "PodMonitor", "Probe", "PrometheusRule"),
}


def make(target: str, *choices: str) -> list[list[str]]:
    """Return the words of each command of kubectl that a target of the Makefile runs."""
    outside = {name: value for name, value in os.environ.items() if name not in ("CONTEXT", "OVERLAY", "NAMESPACE")}
    command = ["make", "--dry-run", target, *choices]
    done = subprocess.run(command, cwd=CHECKOUT, env=outside, capture_output=True, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines() if line.startswith("kubectl ")]


def test_every_command_uses_the_cluster_that_is_named() -> None:
    for target in ("k8s-up", "k8s-down"):
        assert all("--context=kind-board" in words for words in make(target, "CONTEXT=kind-board"))
        # kubectl's current context, as its user expects
        assert not any("--context" in word for words in make(target) for word in words)


def test_stopping_deletes_what_runs_and_keeps_what_holds_data(rendered: Rendered) -> None:
    ((*_, kinds, namespace, selector),) = make("k8s-down")
    assert (namespace, selector) == ("--namespace=agent-board", "--selector=app.kubernetes.io/part-of=agent-board")
    deleted = {*kinds.split(",")}
    assert deleted == {kind.lower() for kind in STOPPED}
    # a new kind must be in one of these lists
    assert {each["kind"] for case in CASES for each in rendered(case)} == STOPPED | NOT_STOPPED


def test_the_documented_alias_passes_names_and_the_operator(tmp_path: Path) -> None:
    for name, script in {"kubectl": KUBECTL, "agent-board": AGENT_BOARD}.items():
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    aliases = ALIAS.findall(README.read_text())
    lines = "\n".join([*aliases, "echo smith_1 | agent-board suspend -", "id -un"])
    path = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    shell = ["bash", "-O", "expand_aliases"]
    done = subprocess.run(shell, env=path, input=lines, capture_output=True, text=True, check=False)
    operator = done.stdout.splitlines()[-1]
    assert done.stdout == f"{operator}: suspend -\nsmith_1\n{operator}\n"
