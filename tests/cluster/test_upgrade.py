"""A new release replaces the one before under load, and the one before comes back.

PREVIOUS_BOARD_IMAGE names an image of the release before.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.board.database.revision import newest_migration
from tests.chaos.lasting import LastingTraffic
from tests.cluster.board import ClusterBoard
from tests.cluster.conftest import started
from tests.cluster.overlays import small

APPLIED = f"SELECT count(*) FROM aerich WHERE version = '{newest_migration()}'"
RELEASED = ("limiter", "api", "fanout")


@pytest.fixture
def older(node: str, tmp_path: Path) -> Iterator[ClusterBoard]:
    """A board of the release before."""
    previous = os.environ.get("PREVIOUS_BOARD_IMAGE")
    if not previous or not os.environ.get("BOARD_IMAGE"):
        pytest.skip("No upgrade is tested: BOARD_IMAGE and PREVIOUS_BOARD_IMAGE do not name two releases.")
    with started(node, tmp_path, {**os.environ, "BOARD_IMAGE": previous}) as board:
        yield board


def test_an_upgrade_and_a_rollback_fail_no_call(older: ClusterBoard, figures: dict[str, str]) -> None:
    assert older.sql(APPLIED) == "0"
    traffic = LastingTraffic(older)
    with traffic:
        traffic.until(10)
        upgrade(older)
        traffic.until(10)
        assert older.sql(APPLIED) == "1"
        for component in RELEASED:
            older.kubectl("rollout", "undo", f"deployment/{component}")
        older.until_complete()
        traffic.until(10)
    figures["upgrade and rollback"] = traffic.figures()
    assert {images(older, component) for component in RELEASED} == {os.environ["PREVIOUS_BOARD_IMAGE"]}
    traffic.check()


def upgrade(board: ClusterBoard) -> None:
    """Name the new release in the overlay, and apply it."""
    small(board.folder, board.namespace, board.url)
    board.up()
    assert {images(board, component) for component in RELEASED} == {os.environ["BOARD_IMAGE"]}


def images(board: ClusterBoard, component: str) -> str:
    """Return the image that the pods of a component run."""
    [one] = {pod["spec"]["containers"][0]["image"] for pod in board.pods(component).values()}
    return str(one)
