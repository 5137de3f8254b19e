"""overlays/loadtest: a Job loads the board through its load balancer, and keeps a report.

LOADTEST_IMAGE names the image of the load tests, as in compose.yaml.
"""

import os
from pathlib import Path

import pytest

from deploy.k8s.shared_files import FOLDER
from tests.cluster.board import ClusterBoard, until
from tests.cluster.kubectl import find
from tests.k8s.rendering import overlay

OPTIONS = [{"op": "add", "path": "/spec/template/spec/containers/0/args/-", "value": option}
           for option in ("--agents=12", "--seconds=10")]  # fmt: skip


def test_a_load_test_judges_the_board_and_keeps_its_report(board: ClusterBoard, tmp_path: Path) -> None:
    folder = tailored(board, tmp_path)
    try:
        board.kubectl("apply", f"--kustomize={folder}")
        until(lambda: ended(board, "loadtest"), "the load test has not ended", 300)
        said = board.kubectl("logs", "job/loadtest")
        # a busy cluster may break an objective, but nothing may be lost or answered wrongly
        assert " acknowledged posts were compared. Report: /results/" in said, said
        assert [line for line in said.splitlines() if line.endswith("BROKEN") and "_latency" not in line] == [], said
        report = said.rpartition("Report: ")[2].split()[0]
        assert "</html>" in read(board, report)
    finally:
        board.kubectl("delete", f"--kustomize={folder}", "--ignore-not-found")


def read(board: ClusterBoard, report: str) -> str:
    """Return a file of the volume, in the steps that deploy/k8s/README.md gives to operators."""
    pod = board.kubectl("get", "pod", "--selector=app.kubernetes.io/component=loadtest", "--output=name").split()[0]
    copied = ("--copy-to=loadtest-reports", "--same-node", "--profile=restricted", "--container=loadtest")
    board.kubectl("debug", pod, *copied, "--", "sleep", "600")
    try:
        board.kubectl("wait", "--for=condition=Ready", "pod/loadtest-reports", "--timeout=60s")
        return board.kubectl("exec", "loadtest-reports", "--", "cat", report)
    finally:
        board.kubectl("delete", "pod", "loadtest-reports", "--grace-period=1")


def tailored(board: ClusterBoard, folder: Path) -> Path:
    """Return an overlay of the load test for the board, with the image of LOADTEST_IMAGE."""
    named = os.environ.get("LOADTEST_IMAGE")
    if not named:
        pytest.skip("No load test runs: LOADTEST_IMAGE names no image.")
    repository, _, tag = named.rpartition(":")
    chosen = {"name": "agent-board-loadtest", "newName": repository, "newTag": tag}
    patch = {"target": {"kind": "Job", "name": "loadtest"}, "patch": str(OPTIONS).replace("'", '"')}
    return overlay(
        folder,
        resources=[FOLDER / "overlays" / "loadtest"],
        namespace=board.namespace,
        images=[chosen],
        patches=[patch],
    )


def ended(board: ClusterBoard, job: str) -> bool:
    """Whether a Job is complete or has failed."""
    [found] = find(f"--namespace={board.namespace}", f"job/{job}")
    return any(each["type"] in ("Complete", "Failed") for each in found["status"].get("conditions", ()))
