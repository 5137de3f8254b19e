"""The backup of a board that runs, by the Job that would be started every night."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.k8s.shared_files import FOLDER
from tests.cluster.board import ClusterBoard, of
from tests.k8s.rendering import containers, named


@pytest.fixture
def board_with_backups(board: ClusterBoard, tmp_path: Path) -> Iterator[ClusterBoard]:
    """The board with `components/backup`, which it loses again at the end."""
    board.up(with_backups(board, tmp_path))
    yield board
    board.kubectl("delete", "cronjobs,jobs,persistentvolumeclaims", of("backup"))


def with_backups(board: ClusterBoard, folder: Path) -> Path:
    """Return the board's overlay with backups, by the image of its PostgreSQL."""
    name, _, tag = containers(named(board.manifests(), "StatefulSet", "postgresql"))[0]["image"].rpartition(":")
    images = [{"name": "postgres", "newName": name, "newTag": tag}]
    return board.changed(folder, components=[FOLDER / "components" / "backup"], images=images)


def test_a_backup_is_complete_on_a_network_that_learns_of_pods_late(board_with_backups: ClusterBoard) -> None:
    board = board_with_backups
    board.kubectl("create", "job", "--from=cronjob/backup", "backup-now")
    board.kubectl("wait", "job/backup-now", "--for=condition=Complete", "--timeout=180s")
    assert "is complete." in board.kubectl("logs", "job/backup-now")
