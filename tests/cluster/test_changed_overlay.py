"""An operator changes the overlay of a board that runs, and applies it with `make k8s-up`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.k8s import running
from deploy.k8s.errors import ClusterError
from deploy.k8s.shared_files import FOLDER
from tests.cluster.board import ClusterBoard


@pytest.fixture
def restored(board: ClusterBoard) -> Iterator[ClusterBoard]:
    """The board, which has its own overlay again at the end."""
    yield board
    board.kubectl("delete", "horizontalpodautoscaler", "--all")
    board.apply()
    board.until_complete()
    board.until_gone("api")


def test_an_autoscaler_is_added_and_no_replica_ends(restored: ClusterBoard, tmp_path: Path) -> None:
    before = restored.pods("api").keys()
    running.up(restored.changed(tmp_path, components=[FOLDER / "components" / "autoscaling"]))
    assert restored.kubectl("get", "horizontalpodautoscaler", "--output=name").strip().endswith("/api")
    assert before <= restored.pods("api").keys()


def test_settings_that_a_process_refuses_end_the_start(restored: ClusterBoard, tmp_path: Path) -> None:
    before = restored.pods("api").keys()
    wrong = {"name": "settings", "namespace": restored.overlay.namespace, "behavior": "merge"}
    settings = [{**wrong, "literals": ["LIMIT_ACCOUNT=100000/60"]}]
    with pytest.raises(ClusterError, match=r"^a process cannot start:\n- (.|\n)*LIMIT_ACCOUNT"):
        running.up(restored.changed(tmp_path, configMapGenerator=settings))
    # the processes with the former settings serve on
    assert before <= restored.pods("api").keys()
