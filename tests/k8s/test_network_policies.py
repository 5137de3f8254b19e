"""The NetworkPolicies allow exactly the connections of the picture in ARCHITECTURE.md."""

from pathlib import Path

import pytest

from deploy.k8s.shared_files import FOLDER
from tests.k8s.conftest import Rendered
from tests.k8s.edges import OUTSIDE, Edge, edges, rules
from tests.k8s.rendering import Manifest, kustomize, overlay, parsed


def agents(*callers: str) -> set[Edge]:
    return {(caller, "haproxy", 8000) for caller in callers}


def look_ups(*callers: str) -> set[Edge]:
    return {(caller, "dns", 53) for caller in callers}


def connections(*callers: str, to: str = "postgresql") -> set[Edge]:
    return {(caller, to, 5432) for caller in callers}


ANYBODY = agents(*(party.name for party in OUTSIDE))
# HAProxy also asks each API process, on its operator port, whether it is ready.
BOARD = {("haproxy", "api", 8000), ("haproxy", "api", 9000), ("api", "limiter", 8100)}
LOOK_UPS = look_ups("api", "limiter", "fanout", "migrate", "haproxy")
CLIENTS = ("api", "fanout", "migrate")
VALKEY = {("limiter", "valkey", 6379)}
METRICS = {("prometheus", name, port) for name, port in (
    ("api", 9000), ("limiter", 9000), ("fanout", 9000), ("haproxy", 8405), ("postgres-exporter", 9187),
    ("valkey-exporter", 9121), ("blackbox-exporter", 9115),
)}  # fmt: skip
EXPORTERS = connections("postgres-exporter") | {("valkey-exporter", "valkey", 6379)}
EXPORTERS |= look_ups("postgres-exporter", "valkey-exporter", "blackbox-exporter")
# It calls the board at its public address, which Kubernetes may lead straight to HAProxy.
EXPORTERS |= {("blackbox-exporter", "address", port) for port in (80, 443)} | agents("blackbox-exporter")


def test_the_small_overlay_allows_the_picture_and_nothing_else(rendered: Rendered) -> None:
    expected = ANYBODY | BOARD | LOOK_UPS | VALKEY | connections(*CLIENTS)
    assert edges(rendered("overlays/small")) == expected


def test_in_production_only_clients_of_the_database_reach_addresses_outside(rendered: Rendered) -> None:
    expected = ANYBODY | BOARD | LOOK_UPS | VALKEY | connections(*CLIENTS, to="address")
    assert edges(rendered("overlays/production")) == expected


def test_a_valkey_elsewhere_is_reached_by_the_limiter_only(rendered: Rendered) -> None:
    outside = {edge for edge in edges(rendered("components/external-valkey")) if edge[1] == "address"}
    assert outside == {("limiter", "address", 6379), ("limiter", "address", 6380)}


def test_the_mcp_server_is_between_haproxy_and_the_api(rendered: Rendered) -> None:
    added = edges(rendered("components/mcp")) - ANYBODY - BOARD - LOOK_UPS
    assert added == {("haproxy", "mcp", 8200), ("mcp", "api", 8000)} | look_ups("mcp")


def test_what_is_added_has_its_own_connections(whole: list[Manifest]) -> None:
    expected = ANYBODY | BOARD | LOOK_UPS | VALKEY | connections(*CLIENTS) | METRICS | EXPORTERS
    assert edges(whole) == expected


def test_only_what_sends_the_proxy_protocol_reaches_haproxy(rendered: Rendered) -> None:
    assert {edge for edge in edges(rendered("components/ingress")) if edge[1] == "haproxy"} == agents("controller")


def test_both_ends_of_each_connection_allow_it(whole: list[Manifest]) -> None:
    outside = {party.name for party in OUTSIDE}

    def between(direction: str) -> set[Edge]:
        return {edge for edge in rules(whole, direction) if not outside & {*edge[:2]}}

    # HAProxy accepts calls from everywhere, also from pods that may not call it.
    anybody = ("haproxy", 8000)
    leaving, arriving = between("egress"), between("ingress")
    assert {edge for edge in leaving if edge[1:] != anybody} == {edge for edge in arriving if edge[1:] != anybody}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[Manifest]:
    """The small overlay with everything that runs pods of its own."""
    folder: Path = tmp_path_factory.mktemp("whole")
    parts = [FOLDER / "components" / name for name in ("monitoring",)]
    (folder / "whole.yaml").write_text(
        kustomize(overlay(folder / "overlay", resources=[FOLDER / "overlays" / "small"], components=parts))
    )
    return list(parsed(folder / "whole.yaml"))
