"""The API server accepts the custom resources of the components, by the definitions that it has."""

from pathlib import Path

import pytest

from deploy.k8s.errors import ClusterError
from deploy.k8s.overlay import Overlay
from deploy.k8s.shared_files import FOLDER
from tests.cluster.board import ClusterBoard
from tests.k8s.rendering import overlay


@pytest.mark.parametrize("component", ["monitoring", "cloudnative-pg"])
def test_the_cluster_accepts_custom_resources(board: ClusterBoard, component: str, tmp_path: Path) -> None:
    parts = [FOLDER / "components" / name for name in (component, "images")]
    folder = overlay(tmp_path, resources=[FOLDER / "base"], components=parts, namespace=board.overlay.namespace)
    try:
        checked = Overlay(board.overlay.cluster, str(folder))
    except ClusterError as reason:
        if "no matches for kind" not in str(reason):
            raise
        pytest.skip(f"The cluster does not know every kind of {component}: {reason}")
    checked.check()
