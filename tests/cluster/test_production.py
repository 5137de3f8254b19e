"""Production: TLS at the edge, and stores elsewhere whose certificates are verified."""

import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from deploy.k8s import doctor, running
from deploy.k8s.cluster import Cluster
from deploy.k8s.overlay import Overlay
from tests.authority import Authority
from tests.chaos.lasting import LastingTraffic
from tests.cluster.board import diagnosis, until
from tests.cluster.conftest import NODE_PORTS, address_of_a_node
from tests.cluster.production import VARIANTS, Passwords, Place, Production, stores


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module", params=VARIANTS)
def board(
    request: pytest.FixtureRequest, cluster: Cluster, authority: Authority, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Production]:
    """A variant of the board and its stores, started from nothing and removed at the end."""
    folder, namespace = tmp_path_factory.mktemp("production"), f"agent-board-test-{secrets.token_hex(3)}"
    url = f"https://{address_of_a_node(cluster)}:{secrets.choice(NODE_PORTS)}"
    place, passwords = Place(namespace, f"{namespace}-stores", url), Passwords.new()
    try:
        cluster.ask("create", "namespace", place.stores)
        data = Overlay(cluster, str(stores(folder / "stores", place, authority, passwords)))
        data.apply()
        running.until_complete(data)
        whole = Overlay(cluster, str(VARIANTS[request.param](folder / "board", place, authority, passwords)))
        yield Production(whole, url, running.up(whole), stores=place.stores, anchor=authority.anchor)
    finally:
        for name in (place.board, place.stores):
            cluster.show("delete", "namespace", name, "--ignore-not-found")


def test_it_serves_with_tls_and_verified_stores(board: Production) -> None:
    load = LastingTraffic(board, board.trusted())
    with load:
        load.until(10)
    load.check()
    # the limiter counts in its Valkey; in the variant with another one, it has verified the certificate
    assert board.counted() > 0
    assert doctor.doctor(board.overlay) == "All is well."


def test_the_certificate_of_the_edge_is_replaced(
    board: Production, authority: Authority, figures: dict[str, str]
) -> None:
    before = board.pods("haproxy").keys()
    certificate, key = authority.issue("renewed", f"IP:{urlsplit(board.url).hostname}")
    load = LastingTraffic(board, board.trusted())
    with load:
        load.until(10)
        values = {"stringData": {"tls.crt": certificate, "tls.key": key}}
        board.kubectl("patch", "secret", "board-tls", f"--patch={json.dumps(values)}")
        until(lambda: served(board) == {certificate.strip()}, "a HAProxy keeps the old certificate", 300)
        load.until(10)
    assert board.pods("haproxy").keys() == before
    figures["certificate of the edge replaced"] = load.figures()
    load.check()


def test_the_doctor_names_a_certificate_of_the_database_that_no_known_authority_has_signed(
    board: Production, tmp_path: Path
) -> None:
    give_anchor(board, Authority(tmp_path).anchor)
    try:
        board.kubectl("rollout", "restart", "deployment/api")
        refusal = "The certificate of the database is refused: "
        until(lambda: refusal in diagnosis(board), "the doctor saw no certificate that was refused")
    finally:
        give_anchor(board, board.anchor)
        board.kubectl("rollout", "undo", "deployment/api")
    board.until_complete()


def served(board: Production) -> set[str]:
    """Return the certificates of so many connections that each HAProxy has accepted some, but for bad luck."""
    return {board.certificate().strip() for _ in range(10)}


def give_anchor(board: Production, anchor: str) -> None:
    """Change the authority that the processes trust for their database."""
    board.kubectl("patch", "secret", "database", f"--patch={json.dumps({'stringData': {'ca.crt': anchor}})}")
