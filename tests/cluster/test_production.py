"""Production: TLS at the edge, and a PostgreSQL and a Valkey elsewhere, whose certificate is verified."""

import json
import secrets
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from deploy.k8s import doctor, running
from deploy.k8s.cluster import Cluster
from deploy.k8s.overlay import Overlay
from tests.chaos.lasting import LastingTraffic
from tests.cluster.authority import Authority
from tests.cluster.conftest import NODE_PORTS, address_of_a_node
from tests.cluster.production import Passwords, Production, production, stores


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def board(cluster: Cluster, authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Production]:
    """The board and its stores, started from nothing and removed at the end."""
    folder, namespace = tmp_path_factory.mktemp("production"), f"agent-board-test-{secrets.token_hex(3)}"
    behind, passwords = f"{namespace}-stores", Passwords.new()
    url = f"https://{address_of_a_node(cluster)}:{secrets.choice(NODE_PORTS)}"
    try:
        cluster.ask("create", "namespace", behind)
        data = Overlay(cluster, str(stores(folder / "stores", behind, authority, passwords)))
        data.apply()
        running.until_complete(data)
        whole = Overlay(cluster, str(production(folder / "board", namespace, behind, url, authority, passwords)))
        yield Production(whole, url, running.up(whole), stores=behind, anchor=authority.anchor)
    finally:
        for name in (namespace, behind):
            cluster.show("delete", "namespace", name, "--ignore-not-found")


def test_it_serves_with_tls_and_verified_stores(board: Production) -> None:
    load = LastingTraffic(board, board.trusted())
    with load:
        load.until(10)
    load.check()
    assert load.failures == {}
    # the limiter counts in the Valkey whose certificate it has verified
    assert board.counted() > 0
    assert doctor.doctor(board.overlay) == "All is well."


def test_the_certificate_of_the_edge_is_replaced(
    board: Production, authority: Authority, figures: dict[str, str]
) -> None:
    before = board.certificate()
    certificate, key = authority.issue("renewed", f"IP:{urlsplit(board.url).hostname}")
    load = LastingTraffic(board, board.trusted())
    with load:
        load.until(10)
        values = {"stringData": {"tls.crt": certificate, "tls.key": key}}
        board.kubectl("patch", "secret", "board-tls", f"--patch={json.dumps(values)}")
        board.roll("haproxy")
        load.until(10)
        assert board.certificate().split() == certificate.split() != before.split()
    figures["certificate of the edge replaced"] = load.figures()
    load.check()
    assert load.failures == {}
