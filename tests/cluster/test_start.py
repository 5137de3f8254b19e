"""From nothing to a board that serves with one command, and again without a change."""

import json
import re
import secrets

import pytest

from deploy.k8s import doctor
from deploy.k8s.errors import ClusterError
from services.board.database.revision import functions_digest
from tests.cluster.board import ClusterBoard, diagnosis, until


def test_the_board_is_complete(board: ClusterBoard) -> None:
    assert f"Its links lead to {board.url}" in board.started
    assert doctor.doctor(board.overlay) == "All is well."


def test_the_database_was_migrated_once(board: ClusterBoard) -> None:
    [job] = [each for each in board.overlay.workloads() if each["kind"] == "Job"]
    assert job["status"]["succeeded"] == 1
    assert board.sql("SELECT count(*) FROM applied_functions") == "1"
    assert board.sql("SELECT digest FROM applied_functions") == functions_digest()


def test_applying_it_again_changes_nothing(board: ClusterBoard) -> None:
    before = versions(board)
    board.apply()
    assert versions(board) == before
    # it reports every difference between the overlay and the cluster, and fails if there is one
    board.kubectl("diff", f"--kustomize={board.overlay.path}")


def versions(board: ClusterBoard) -> dict[str, int]:
    """Return how often the specification of each workload and pod has changed; kubectl's own words are no measure."""
    found = [*board.overlay.workloads(), *board.overlay.pods()]
    return {f"{each['kind']}/{each['metadata']['name']}": each["metadata"].get("generation", 0) for each in found}


def test_the_cluster_refuses_a_field_that_does_not_exist(board: ClusterBoard) -> None:
    file = board.overlay.path / "kustomization.yaml"
    right = file.read_text()
    misspelt = {"op": "add", "path": "/spec/replicass", "value": 3}
    file.write_text(right + f"  - target: {{ kind: Deployment, name: api }}\n    patch: '{json.dumps([misspelt])}'\n")
    try:
        with pytest.raises(ClusterError, match="replicass"):
            board.overlay.check()
    finally:
        file.write_text(right)
    board.overlay.check()


def test_the_doctor_names_what_is_wrong(board: ClusterBoard) -> None:
    board.kubectl("set", "image", "deployment/limiter", "limiter=agent-board-test/absent:none")
    try:
        until(lambda: "cannot start: " in diagnosis(board), "the doctor saw no pod that cannot start")
        assert "agent-board-test/absent:none" in diagnosis(board)
    finally:
        board.kubectl("rollout", "undo", "deployment/limiter")
        board.until_complete()
    board.until_gone("limiter")
    # an API process that missed the limiter asks it again after some seconds
    until(lambda: diagnosis(board) == "", "the doctor still reports a problem")


def test_the_doctor_names_a_wrong_password_of_the_database(board: ClusterBoard) -> None:
    right = board.kubectl("get", "secret", "database", "--output=jsonpath={.data}")
    wrong = f"postgresql://agent_board:{secrets.token_hex(8)}@postgresql-rw:5432/agent_board"
    board.kubectl("patch", "secret", "database", f"--patch={json.dumps({'stringData': {'database_url': wrong}})}")
    try:
        board.kubectl("rollout", "restart", "deployment/api", "deployment/fanout")
        for component in ("api", "fanout"):
            refused = re.compile(rf"^- {component}-\S+ .*(\n  .*)*password authentication failed", re.M)
            until(lambda: refused.search(diagnosis(board)) is not None, f"the doctor did not see it in {component}")  # noqa: B023
    finally:
        board.kubectl("patch", "secret", "database", f'--patch={{"data": {right}}}')
        board.kubectl("rollout", "undo", "deployment/api", "deployment/fanout")
        board.until_complete()
    for component in ("api", "fanout"):
        board.until_gone(component)
    assert diagnosis(board) == ""


def test_the_doctor_names_what_was_scaled_down(board: ClusterBoard) -> None:
    board.kubectl("scale", "deployment/limiter", "--replicas=1")
    try:
        assert "Deployment/limiter is scaled to 1 of 2 replicas" in diagnosis(board)
    finally:
        board.kubectl("scale", "deployment/limiter", "--replicas=2")
