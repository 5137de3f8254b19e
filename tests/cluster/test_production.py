"""Production: TLS at the edge, and a database elsewhere whose certificate is verified."""

import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.authority import Authority
from tests.chaos.lasting import LastingTraffic
from tests.cluster.board import until
from tests.cluster.conftest import NODE_PORTS
from tests.cluster.kubectl import kubectl, make
from tests.cluster.production import Place, Production, production, stores


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def board(node: str, authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Production]:
    """The board and its database, started from nothing and removed at the end."""
    folder, namespace = tmp_path_factory.mktemp("production"), f"agent-board-test-{secrets.token_hex(3)}"
    url = f"https://{node}:{secrets.choice(NODE_PORTS)}"
    place = Place(namespace, f"{namespace}-stores", url)
    try:
        kubectl("create", "namespace", place.stores)
        make("k8s-up", stores(folder / "stores", place, authority), place.stores)
        overlay = production(folder / "board", place, authority)
        board = Production(overlay, namespace, url, stores=place.stores, anchor=authority.anchor)
        board.up()
        yield board
    finally:
        for name in (place.board, place.stores):
            kubectl("delete", "namespace", name, "--ignore-not-found")


def test_it_serves_with_tls_and_a_verified_database(board: Production) -> None:
    load = LastingTraffic(board, board.trusted())
    with load:
        load.until(10)
    load.check()


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


def test_a_certificate_of_the_database_that_no_known_authority_has_signed_is_refused(
    board: Production, tmp_path: Path
) -> None:
    give_anchor(board, Authority(tmp_path).anchor)
    try:
        board.kubectl("rollout", "restart", "deployment/api")
        refusal = "The certificate of the database is refused: "
        until(lambda: refusal in board.log("api"), "no process has refused the certificate")
    finally:
        give_anchor(board, board.anchor)
        board.kubectl("rollout", "undo", "deployment/api")
    board.until_complete()


def served(board: Production) -> set[str]:
    """Return the certificates of enough connections that each HAProxy has very likely accepted some."""
    return {board.certificate().strip() for _ in range(10)}


def give_anchor(board: Production, anchor: str) -> None:
    """Change the authority that the processes trust for their database."""
    board.kubectl("patch", "secret", "database", f"--patch={json.dumps({'stringData': {'ca.crt': anchor}})}")
