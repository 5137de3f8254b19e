"""The board of overlays/small on the cluster that KUBECONFIG names, in a namespace that is deleted at the end.

BOARD_IMAGE, HAPROXY_IMAGE, POSTGRES_IMAGE
and VALKEY_IMAGE name images that the cluster has or can pull, as in compose.yaml.
"""

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cluster.board import ClusterBoard
from tests.cluster.kubectl import Refused, find, kubectl
from tests.cluster.overlays import small
from tests.figures import figures  # noqa: F401

NODE_PORTS = range(30000, 32768)


@pytest.fixture(scope="session")
def node() -> str:
    """An address at which node ports answer, of the cluster of KUBECONFIG. Naming one is the consent to use it."""
    if not os.environ.get("KUBECONFIG"):
        pytest.skip("No cluster is tested: KUBECONFIG names none.")
    try:
        nodes = find("nodes", "--request-timeout=10s")
    except Refused as reason:
        pytest.skip(f"No cluster is tested: {reason}")
    addresses = [each for node in nodes for each in node["status"]["addresses"]]
    return str(next(each["address"] for each in addresses if each["type"] == "InternalIP"))


@pytest.fixture(scope="session")
def board(node: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterBoard]:
    """The board, started from nothing; tests must leave it complete."""
    with started(node, tmp_path_factory.mktemp("overlay"), os.environ) as board:
        yield board


@contextmanager
def started(node: str, folder: Path, images: Mapping[str, str]) -> Iterator[ClusterBoard]:
    """A board with these images, started from nothing and removed at the end."""
    namespace = f"agent-board-test-{secrets.token_hex(3)}"
    url = f"http://{node}:{secrets.choice(NODE_PORTS)}"
    board = ClusterBoard(small(folder, namespace, url, images), namespace, url)
    try:
        board.up()
        yield board
    finally:
        kubectl("delete", "namespace", namespace, "--ignore-not-found")


@pytest.fixture(autouse=True)
def complete(board: ClusterBoard, request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test finds the board complete; if a test leaves it otherwise, no further test runs."""
    yield
    try:
        board.until_complete()
    except Refused as left:
        request.session.shouldfail = f"{request.node.name} has not left the board as it was: {left}"
        raise
