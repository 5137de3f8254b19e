"""A board with components/cloudnative-pg loses instances of PostgreSQL under load, and its primary hangs.

The operator must run in the cluster. CLOUDNATIVE_PG_IMAGE names an image of PostgreSQL 18 for its instances. The board
has no object store, so it leaves the backups out.
"""

import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.chaos.lasting import LastingTraffic
from tests.chaos.row import AWAY
from tests.cluster.board import ClusterBoard, until
from tests.cluster.conftest import NODE_PORTS
from tests.cluster.freezing import FREEZE
from tests.cluster.kubectl import kubectl
from tests.cluster.overlays import (
    EDGE,
    SETTINGS,
    add,
    deleted,
    images,
    node_port,
    of_a_small_node,
    patch,
    secret,
    settings,
)
from tests.k8s.rendering import FOLDER, overlay

INSTANCES = "3"
COPIED_SECONDS = 400
# Probes fail for half a minute, and then the shutdown of a PostgreSQL that hangs is waited for.
DEMOTED_SECONDS = 300


@dataclass
class OperatedBoard(ClusterBoard):
    """A board whose instances of PostgreSQL the operator starts and replaces."""

    def status(self, name: str) -> str:
        return self.kubectl("get", "cluster", "postgresql", f"--output=jsonpath={{.status.{name}}}").strip()

    def sql(self, statement: str) -> str:
        psql = ("psql", "--username=postgres", "--no-align", "--tuples-only", "--no-psqlrc", "--dbname=agent_board")
        pod = ("exec", self.status("currentPrimary"), "--container=postgres", "--")
        return self.kubectl(*pod, *psql, f"--command={statement}").strip()

    def instances(self) -> set[str]:
        """Return the names of the pods that run PostgreSQL."""
        names = "--output=jsonpath={.items[*].metadata.name}"
        return set(self.kubectl("get", "pods", "--selector=cnpg.io/podRole=instance", names).split())

    def freeze(self, pod: str) -> None:
        """Stop every process of PostgreSQL in a pod, but not the instance manager that watches them."""
        self.kubectl("exec", pod, "--container=postgres", "--", "sh", "-c", FREEZE)

    def until_another_leads(self, primary: str, seconds: float = 180) -> None:
        until(lambda: self.status("currentPrimary") != primary, "no standby was promoted", seconds)

    def until_whole(self) -> None:
        until(lambda: self.status("readyInstances") == INSTANCES, "an instance is missing", COPIED_SECONDS)


@pytest.fixture(scope="module")
def board(node: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OperatedBoard]:
    if not os.environ.get("CLOUDNATIVE_PG_IMAGE"):
        pytest.skip("No CloudNativePG is tested: CLOUDNATIVE_PG_IMAGE names no image for its instances.")
    namespace = f"agent-board-test-{secrets.token_hex(3)}"
    url = f"http://{node}:{secrets.choice(NODE_PORTS)}"
    board = OperatedBoard(tailored(tmp_path_factory.mktemp("operated"), namespace, url), namespace, url)
    try:
        board.up()
        board.until_whole()
        yield board
    finally:
        kubectl("delete", "namespace", namespace, "--ignore-not-found")


def tailored(folder: Path, namespace: str, url: str) -> Path:
    """Return the overlay of a small board without backups."""
    reader = f"postgresql://agent_board_reader:{secrets.token_hex(12)}@postgresql-rw:5432/agent_board"
    instances = {
        "imageName": os.environ["CLOUDNATIVE_PG_IMAGE"],
        "resources": {"requests": {"cpu": "25m", "memory": "256Mi"}, "limits": {"memory": "512Mi"}},
        "storage": {"size": "1Gi"},
        "plugins": [],
    }
    return overlay(
        folder,
        resources=[FOLDER / "base"],
        components=[FOLDER / "components" / name for name in ("cloudnative-pg", "valkey", "images")],
        namespace=namespace,
        images=images(),
        configMapGenerator=[
            settings("settings", f"BASE_URL={url}", *SETTINGS),
            settings("edge", *EDGE),
        ],
        secretGenerator=[
            secret("database", {"read_database_url": reader}),
            secret("limiter", {"redis_url": "redis://:counts@valkey:6379/0"}),
            secret("valkey", {"valkey_config": "requirepass counts"}),
        ],
        patches=[
            of_a_small_node(),
            deleted("ObjectStore", "barmancloud.cnpg.io/v1"),
            deleted("ScheduledBackup", "postgresql.cnpg.io/v1"),
            patch("Cluster", "postgresql", *(add(f"/spec/{name}", value) for name, value in instances.items())),
            node_port(url),
        ],
    )


@pytest.mark.parametrize("lost", ["a standby", "the primary"])
def test_an_instance_is_lost_and_replaced(board: OperatedBoard, figures: dict[str, str], lost: str) -> None:
    primary = board.status("currentPrimary")
    victim = primary if lost == "the primary" else min(board.instances() - {primary})
    load = LastingTraffic(board)
    with load:
        load.until(10)
        board.kill(victim)
        if victim == primary:
            board.until_another_leads(primary)
        load.until(10, 180)
        board.until_whole()
        load.until(10)
    figures[f"CloudNativePG: {lost} lost"] = load.figures()
    load.check(AWAY)


def test_a_primary_that_hangs_is_demoted(board: OperatedBoard, figures: dict[str, str]) -> None:
    """Nothing lets the frozen processes continue: the operator itself must end them and make the instance a standby."""
    primary = board.status("currentPrimary")
    load = LastingTraffic(board)
    with load:
        load.until(10)
        board.freeze(primary)
        board.until_another_leads(primary, DEMOTED_SECONDS)
        load.until(10, 180)
        board.until_whole()
        load.until(10)
    figures["CloudNativePG: the primary frozen"] = load.figures()
    load.check(AWAY)
    assert board.status("currentPrimary") != primary
