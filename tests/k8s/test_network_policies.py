"""The NetworkPolicies deny everything, and few pods have a way out of the namespace or are reached from outside."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from tests.k8s.conftest import Rendered
from tests.k8s.rendering import CASES, Manifest

NAMES_OF_NODES = {"kubernetes.io/metadata.name": "kube-system"}
Way = tuple[str, int]
DATABASE = {(name, 5432) for name in ("api", "fanout", "migrate", "postgres-exporter")}
# The blackbox exporter calls the board at its public address. CloudNativePG's pods call Kubernetes and the archive.
OUT: dict[str, set[Way]] = {
    "overlays/production": DATABASE,
    "components/external-database": DATABASE,
    "components/external-valkey": {(name, port) for name in ("limiter", "valkey-exporter") for port in (6379, 6380)},
    "components/monitoring": {("blackbox-exporter", 80), ("blackbox-exporter", 443)},
    "components/cloudnative-pg": {("postgresql", 443), ("postgresql", 6443)},
}
AGENTS = {("haproxy", 8000)}
MONITORED = ("api", "limiter", "fanout", "haproxy", "postgres-exporter", "valkey-exporter")
METRICS = {*product(MONITORED, (9000, 8405, 9187, 9121)), ("blackbox-exporter", 9115)}
IN: dict[str, set[Way]] = {
    "components/monitoring": METRICS | AGENTS,
    "components/cloudnative-pg": AGENTS | {("postgresql", 8000)},
}


def policies(manifests: list[Manifest]) -> Iterator[dict[str, Any]]:
    return (each["spec"] for each in manifests if each["kind"] == "NetworkPolicy")


def selected(selector: dict[str, Any]) -> list[str]:
    """Return the components that a selector of pods names. Raises ValueError for a selector with other conditions."""
    if "matchLabels" in selector:
        [name] = selector["matchLabels"].values()
        return [name]
    [expression] = selector["matchExpressions"]
    assert expression["operator"] == "In"
    return list(expression["values"])


def is_outside(peer: dict[str, Any]) -> bool:
    """Whether a peer is not of this namespace, and not its name service."""
    return "ipBlock" in peer or peer.get("namespaceSelector", {}).get("matchLabels", NAMES_OF_NODES) != NAMES_OF_NODES


def ways(manifests: list[Manifest], direction: str, side: str) -> set[Way]:
    """Return the component and the port of each way between a pod and the outside. Port 0 means all ports."""
    return {
        (name, port["port"])
        for policy in policies(manifests)
        for rule in policy.get(direction, [])
        if side not in rule or any(map(is_outside, rule[side]))
        for name in selected(policy["podSelector"])
        for port in rule.get("ports", [{"port": 0}])
    }


@pytest.mark.parametrize("case", CASES)
def test_a_pod_has_no_way_that_is_not_listed(rendered: Rendered, case: str) -> None:
    manifests = rendered(case)
    assert {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]} in list(policies(manifests))
    assert ways(manifests, "egress", "to") == OUT.get(case, set())
    assert ways(manifests, "ingress", "from") == IN.get(case, AGENTS)


@pytest.mark.parametrize("case", CASES)
def test_only_haproxy_calls_the_api_which_believes_the_addresses_that_it_reports(rendered: Rendered, case: str) -> None:
    rules = [
        (rule["from"], {port["port"] for port in rule["ports"]})
        for policy in policies(rendered(case))
        if policy["podSelector"] and selected(policy["podSelector"]) == ["api"]
        for rule in policy.get("ingress", [])
    ]
    callers = {
        name for peers, ports in rules if 8000 in ports for one in peers for name in selected(one["podSelector"])
    }
    # the MCP server reports no address
    assert callers == {"haproxy"} | ({"mcp"} if case == "components/mcp" else set())
