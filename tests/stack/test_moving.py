"""A board moves from one server of PostgreSQL to three and back: no post is lost, however the servers ended.

After each move the service `backup` works, and nothing of the servers that are gone is left.
"""

from collections.abc import Iterator

import pytest

from deploy.compose.servers import ETCD, SERVERS
from deploy.environment import CHECKOUT
from tests.chaos.row import AWAY, NOTHING
from tests.stack.cluster import SECONDS, Cluster
from tests.stack.conftest import started_as
from tests.stack.traffic import Traffic

THREE = "compose.yaml:patroni.yaml"


@pytest.fixture
def moving(images: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A board with one server."""
    files = {"COMPOSE_FILE": "compose.yaml", "BALLAST_MEBIBYTES": "0"}
    with started_as(Cluster, {**images, **files}, tmp_path_factory.mktemp("moving"), CHECKOUT) as cluster:
        try:
            yield cluster
        finally:
            # the volumes of all servers are removed
            choose(cluster, THREE)


def choose(cluster: Cluster, files: str) -> None:
    """Write which servers the board has, as operators do."""
    cluster.stack.configuration.environment["COMPOSE_FILE"] = files
    cluster.write_settings()


def has_settled(cluster: Cluster) -> None:
    """Assert that backups can be made, and that no log is kept for a server that is gone."""
    assert "was made and verified" in cluster.make("backup")
    assert cluster.sql("SELECT slot_name FROM pg_replication_slots WHERE NOT active") == ""
    assert cluster.make("doctor").strip().endswith("All is well.")


def published(cluster: Cluster, *, lose_primary: bool = False) -> int:
    """Put load on the board, during which it may lose its primary for good; return its newest id."""
    with Traffic(cluster) as traffic:
        traffic.until(10)
        if lose_primary:
            lead, second, _ = cluster.others()
            cluster.kill(lead)
            cluster.until_led_by_another(lead, second)
            traffic.until(20, SECONDS)
    traffic.check(AWAY if lose_primary else NOTHING)
    return int(cluster.sql("SELECT last_id FROM log_head"))


@pytest.mark.slow
def test_a_board_moves_to_three_servers_and_back_and_keeps_every_post(moving: Cluster) -> None:
    first = published(moving)
    choose(moving, THREE)
    moving.make("up")
    moving.until_complete()
    assert int(moving.sql("SELECT count(*) FROM posts")) == int(moving.sql("SELECT last_id FROM log_head")) == first
    has_settled(moving)
    # its name leads nowhere from now on, and inboxes must be filled all the same
    second = published(moving, lose_primary=True)
    moving.make("down")
    # the first server lacks the newest posts
    choose(moving, "compose.yaml")
    assert "may lack the newest posts" in moving.make("up", fails=True)
    choose(moving, THREE)
    moving.make("up")
    moving.until_complete()
    moving.switch_to("postgresql")
    moving.until_complete()
    moving.make("down")
    choose(moving, "compose.yaml")
    moving.make("up")
    assert int(moving.sql("SELECT count(*) FROM posts")) == second
    has_settled(moving)
    third = published(moving)
    moving.kill("postgresql")
    moving.make("down")
    # the two others lack the newest posts
    choose(moving, THREE)
    assert "still have older data" in moving.make("up", fails=True)
    moving.make("down")
    volumes = (f"{moving.stack.project}_{each}" for each in (*SERVERS[1:], *ETCD))
    moving.stack.docker("volume", "rm", *volumes)
    moving.make("up")
    moving.until_complete()
    assert int(moving.sql("SELECT count(*) FROM posts")) == third
    has_settled(moving)
    published(moving)
