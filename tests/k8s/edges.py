"""The calls that the NetworkPolicies of rendered manifests allow, between all pods in them and some others."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.k8s.rendering import Manifest, component, pod, workloads

INSIDE = {"kubernetes.io/metadata.name": "agent-board"}
Labels = dict[str, str]
Edge = tuple[str, str, int]


@dataclass(frozen=True)
class Party:
    """Pods with the same labels, or an address outside of the cluster."""

    name: str
    namespace: tuple[tuple[str, str], ...] = ()
    labels: tuple[tuple[str, str], ...] = ()

    @property
    def is_inside(self) -> bool:
        return dict(self.namespace) == INSIDE


ADDRESS = Party("address")
STRANGER = Party("stranger", (("kubernetes.io/metadata.name", "default"),), (("app", "stranger"),))
CONTROLLER = Party("controller", (("agent-board/edge", "true"),), (("app", "controller"),))
PROMETHEUS = Party("prometheus", (("kubernetes.io/metadata.name", "monitoring"),),
                   (("app.kubernetes.io/name", "prometheus"),))  # fmt: skip
DNS = Party("dns", (("kubernetes.io/metadata.name", "kube-system"),), (("k8s-app", "kube-dns"),))
OUTSIDE = (ADDRESS, STRANGER, CONTROLLER, PROMETHEUS, DNS)


def edges(manifests: list[Manifest]) -> set[Edge]:
    """Return caller, called and port of each connection that both sides allow. The outside allows everything."""
    leaving, arriving = rules(manifests, "egress"), rules(manifests, "ingress")
    from_outside = {edge for edge in arriving if edge[0] in {party.name for party in OUTSIDE}}
    to_outside = {edge for edge in leaving if edge[1] in {party.name for party in OUTSIDE}}
    return leaving & arriving | from_outside | to_outside


def rules(manifests: list[Manifest], direction: str) -> set[Edge]:
    """Return the connections that the policies of one direction allow. Port 0 means all ports."""
    parties = [*insiders(manifests), *OUTSIDE]
    found = set()
    for own in parties:
        if own.is_inside:
            for other, port in allowed(own, parties, manifests, direction):
                ends = (own.name, other.name) if direction == "egress" else (other.name, own.name)
                found.add((*ends, port))
    return found


def insiders(manifests: list[Manifest]) -> list[Party]:
    """Return the pods of every workload."""
    return [
        Party(component(each), tuple(INSIDE.items()), tuple(sorted(pod(each)["metadata"]["labels"].items())))
        for each in workloads(manifests)
    ]


def allowed(own: Party, parties: list[Party], manifests: list[Manifest], direction: str) -> Iterator[tuple[Party, int]]:
    policies = [
        each["spec"]
        for each in manifests
        if each["kind"] == "NetworkPolicy"
        and direction.capitalize() in each["spec"]["policyTypes"]
        and selects(each["spec"]["podSelector"], dict(own.labels))
    ]
    side = {"egress": "to", "ingress": "from"}[direction]
    for other in parties:
        if not policies:
            yield other, 0
        for rule in (rule for policy in policies for rule in policy.get(direction, [])):
            if side not in rule or any(matches(peer, other) for peer in rule[side]):
                yield from ((other, port["port"]) for port in rule.get("ports", [{"port": 0}]))


def matches(peer: dict[str, Any], party: Party) -> bool:
    """Whether a peer of a rule includes a party."""
    if "ipBlock" in peer:
        return party == ADDRESS
    if party == ADDRESS:
        return False
    namespace, pods = peer.get("namespaceSelector"), peer.get("podSelector", {})
    in_namespace = party.is_inside if namespace is None else selects(namespace, dict(party.namespace))
    return in_namespace and selects(pods, dict(party.labels))


def selects(selector: dict[str, Any], labels: Labels) -> bool:
    """Whether a label selector matches. Raises KeyError for an operator other than In."""
    wanted = selector.get("matchLabels", {}).items() <= labels.items()
    expressions = selector.get("matchExpressions", [])
    return wanted and all(labels.get(each["key"]) in {"In": each["values"]}[each["operator"]] for each in expressions)
