"""An operator changes the overlay of a board that runs, and applies it with `make k8s-up`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.board import ClusterBoard, until


@pytest.fixture
def restored(board: ClusterBoard) -> Iterator[ClusterBoard]:
    """The board, which has its own overlay again at the end."""
    yield board
    board.up()
    board.until_gone("api")


def test_settings_that_a_process_refuses_replace_none_that_serves(restored: ClusterBoard, tmp_path: Path) -> None:
    before = restored.pods("api").keys()
    wrong = {"name": "settings", "namespace": restored.namespace, "behavior": "merge"}
    settings = [{**wrong, "literals": ["LIMIT_POSTS=100000/60"]}]
    restored.kubectl("apply", f"--kustomize={restored.changed(tmp_path, configMapGenerator=settings)}")
    until(lambda: "LIMIT_POSTS" in restored.log("api"), "no process has refused the setting")
    assert before <= restored.pods("api").keys()
