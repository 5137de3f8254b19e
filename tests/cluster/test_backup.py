"""The backup of a board that runs, by the Job that would be started every night."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.k8s import running
from deploy.k8s.overlay import Overlay
from deploy.k8s.shared_files import FOLDER
from tests.cluster.board import ClusterBoard, diagnosis, until
from tests.k8s.rendering import containers

LABEL = "app.kubernetes.io/component=backup"


@pytest.fixture
def board_with_backups(board: ClusterBoard, tmp_path: Path) -> Iterator[ClusterBoard]:
    """The board with `components/backup`, which it loses again at the end."""
    running.up(with_backups(board, tmp_path))
    yield board
    for kind in ("cronjobs", "jobs", "persistentvolumeclaims"):
        board.kubectl("delete", kind, f"--selector={LABEL}")


def with_backups(board: ClusterBoard, folder: Path) -> Overlay:
    """Return the board's overlay with backups, by the image of its PostgreSQL."""
    (postgresql,) = (each for each in board.overlay.objects if each["kind"] == "StatefulSet")
    name, _, tag = containers(postgresql)[0]["image"].rpartition(":")
    images = [{"name": "postgres", "newName": name, "newTag": tag}]
    return board.changed(folder, components=[FOLDER / "components" / "backup"], images=images)


def test_a_backup_is_complete_on_a_network_that_learns_of_pods_late(board_with_backups: ClusterBoard) -> None:
    board = board_with_backups
    assert diagnosis(board) == ""
    board.kubectl("create", "job", "--from=cronjob/backup", "backup-now")
    until(lambda: ended(board, "backup-now") != "", "a backup that never ends")
    assert "is complete." in board.kubectl("logs", "job/backup-now")
    assert diagnosis(board) == ""


def test_the_doctor_names_a_backup_that_failed(board_with_backups: ClusterBoard) -> None:
    board = board_with_backups
    board.kubectl("create", "job", "--from=cronjob/backup", "backup-late")
    board.kubectl("patch", "job", "backup-late", '--patch={"spec": {"activeDeadlineSeconds": 1}}')
    until(lambda: ended(board, "backup-late") != "", "a backup that never ends")
    assert ended(board, "backup-late") == "Failed"
    assert "The newest backup, job/backup-late, has failed" in diagnosis(board)


def ended(board: ClusterBoard, job: str) -> str:
    """Return how a job has ended; nothing while it runs."""
    kinds = '{.status.conditions[?(@.status=="True")].type}'
    found = board.kubectl("get", "job", job, f"--output=jsonpath={kinds}").split()
    return next((kind for kind in found if kind in ("Complete", "Failed")), "")
