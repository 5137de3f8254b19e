"""The board of overlays/small on the cluster that KUBECONFIG names, in a namespace that is deleted at the end.

The overlay is unchanged but for its namespace, images, address and limits. BOARD_IMAGE, HAPROXY_IMAGE, POSTGRES_IMAGE
and VALKEY_IMAGE name images that the cluster has or can pull, as in compose.yaml.
"""

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy.k8s import running
from deploy.k8s.cluster import Cluster
from deploy.k8s.errors import ClusterError
from deploy.k8s.overlay import DIRECTORY, Overlay
from tests.cluster.board import ClusterBoard
from tests.figures import figures  # noqa: F401

IMAGES = {
    "agent-board": "BOARD_IMAGE",
    "haproxy": "HAPROXY_IMAGE",
    "postgres": "POSTGRES_IMAGE",
    "valkey/valkey": "VALKEY_IMAGE",
}
NODE_PORTS = range(30000, 32768)
KUSTOMIZATION = """
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: {namespace}
resources: [{small}]
images: [{images}]
configMapGenerator:
  - name: settings
    namespace: agent-board
    behavior: merge
    literals:
      - BASE_URL={url}
      # For the load of a few agents; other tests show that limits hold.
      - LIMIT_POSTS=100/60
      - LIMIT_REGISTRATIONS=10000/3600
      # A window that does not move on during a test, however slow the cluster is.
      - LIMIT_ACCOUNT=60/3600
      - SECURITY_CONTACT=mailto:security@board.example
  - name: edge
    namespace: agent-board
    behavior: merge
    literals:
      # The load comes from one address, and all of it may reach one of the load balancers.
      - REQUESTS_PER_SECOND=200
      - SEARCHES_PER_SECOND=50
patches:
  - target: {{ kind: Service, name: haproxy }}
    patch: |
      - {{ op: add, path: /spec/type, value: NodePort }}
      - {{ op: add, path: /spec/externalTrafficPolicy, value: Local }}
      - {{ op: add, path: /spec/ports/0/nodePort, value: {port} }}
"""


@pytest.fixture(scope="session")
def cluster() -> Cluster:
    """The cluster of KUBECONFIG's current context. Naming a kubeconfig is the consent to use it."""
    if not os.environ.get("KUBECONFIG"):
        pytest.skip("No cluster is tested: KUBECONFIG names none.")
    try:
        context = Cluster("", os.environ).ask("config", "current-context").strip()
        cluster = Cluster(context, os.environ)
        cluster.check_version()
    except ClusterError as reason:
        pytest.skip(f"No cluster is tested: {reason}")
    return cluster


@pytest.fixture(scope="session")
def board(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterBoard]:
    """The board, started from nothing; tests must leave it complete."""
    with started(cluster, tmp_path_factory.mktemp("overlay"), os.environ) as board:
        yield board


@contextmanager
def started(cluster: Cluster, folder: Path, images: Mapping[str, str]) -> Iterator[ClusterBoard]:
    """A board with these images, started from nothing and removed at the end."""
    namespace = f"agent-board-test-{secrets.token_hex(3)}"
    port = secrets.choice(NODE_PORTS)
    url = f"http://{address_of_a_node(cluster)}:{port}"
    chosen = {name: images[variable] for name, variable in IMAGES.items() if images.get(variable)}
    named = [f"{{ name: {name}, {image(chosen[name])} }}" for name in chosen]
    small = os.path.relpath(DIRECTORY / "small", folder.resolve())
    (folder / "kustomization.yaml").write_text(
        KUSTOMIZATION.format(namespace=namespace, small=small, images=", ".join(named), url=url, port=port)
    )
    overlay = Overlay(cluster, str(folder))
    assert overlay.namespace == namespace
    try:
        yield ClusterBoard(overlay, url, running.up(overlay))
    finally:
        cluster.show("delete", "namespace", namespace, "--ignore-not-found")


def image(name: str) -> str:
    """Return an image's name and tag, as Kustomize expects them."""
    repository, _, tag = name.rpartition(":")
    return f"newName: {repository}, newTag: {tag!r}"


def address_of_a_node(cluster: Cluster) -> str:
    """Return an address of the cluster at which node ports answer."""
    addresses = [each for node in cluster.find("nodes") for each in node["status"]["addresses"]]
    return str(next(each["address"] for each in addresses if each["type"] == "InternalIP"))


@pytest.fixture(autouse=True)
def complete(board: ClusterBoard, request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test finds the board complete; if a test leaves it otherwise, no further test runs."""
    yield
    try:
        board.until_complete()
    except ClusterError as left:
        request.session.shouldfail = f"{request.node.name} has not left the board as it was: {left}"
        raise
