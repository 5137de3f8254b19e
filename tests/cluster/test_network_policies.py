"""The cluster enforces the NetworkPolicies: pods reach each other only as the rendered manifests say."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.cluster.board import ClusterBoard, until
from tests.cluster.kubectl import find, kubectl
from tests.k8s.edges import STRANGER, edges
from tests.k8s.rendering import component, containers, workloads

# components whose image has Python
CALLERS = ("api", "limiter", "fanout")
LISTENER_PORT = 8000
CONNECT = """
import json, socket, sys
from concurrent.futures import ThreadPoolExecutor

def reached(target):
    try:
        socket.create_connection(target, timeout=5).close()
    except OSError:
        return False
    return True

with ThreadPoolExecutor(32) as pool:
    print(json.dumps(list(pool.map(reached, map(tuple, json.loads(sys.argv[1]))))))
"""
Target = tuple[str, int]


@dataclass
class Strangers:
    """Two pods that listen, in a namespace without the board. A policy there allows no connection to them."""

    board: ClusterBoard
    namespace: str

    def manifests(self) -> str:
        [image] = {pod["spec"]["containers"][0]["image"] for pod in self.board.pods("api").values()}
        listen = ["python", "-m", "http.server", str(LISTENER_PORT)]
        container = {"name": "stranger", "image": image, "command": listen}
        pod = {"metadata": {"labels": dict(STRANGER.labels)}, "spec": {"containers": [container]}}
        pods = {"replicas": 2, "selector": {"matchLabels": dict(STRANGER.labels)}, "template": pod}
        kinds: list[tuple[str, str, dict[str, Any]]] = [
            ("v1", "Namespace", {}),
            ("networking.k8s.io/v1", "NetworkPolicy", {"podSelector": {}, "policyTypes": ["Ingress"]}),
            ("apps/v1", "Deployment", pods),
        ]
        named = {"name": self.namespace, "namespace": self.namespace}
        items = [
            {"apiVersion": version, "kind": kind, "metadata": named, "spec": spec} for version, kind, spec in kinds
        ]
        del items[0]["spec"]
        return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})

    def pods(self) -> list[dict[str, Any]]:
        return find("pods", f"--namespace={self.namespace}")

    def reach(self, targets: list[Target]) -> list[bool]:
        name = self.pods()[0]["metadata"]["name"]
        return reached(self.board, name, targets, self.namespace)

    def are_apart(self) -> bool:
        """Whether the policy keeps one from calling the other."""
        return not any(self.reach([(self.pods()[1]["status"]["podIP"], LISTENER_PORT)]))


@pytest.fixture
def strangers(board: ClusterBoard) -> Iterator[Strangers]:
    strangers = Strangers(board, f"{board.namespace}-strangers")
    try:
        kubectl("apply", "--filename=-", stdin=strangers.manifests())
        status = ("rollout", "status", f"--namespace={strangers.namespace}", f"deployment/{strangers.namespace}")
        kubectl(*status, "--timeout=120s")
        try:
            until(strangers.are_apart, "the policy has no effect", 20)
        except AssertionError:
            pytest.skip("No policy is tested: the network of this cluster does not enforce NetworkPolicies.")
        yield strangers
    finally:
        kubectl("delete", "namespace", strangers.namespace, "--ignore-not-found")


def test_pods_reach_each_other_only_as_the_policies_say(
    board: ClusterBoard, strangers: Strangers, figures: dict[str, str]
) -> None:
    ends = [(called, port) for called, ports in listening(board).items() for port in ports]
    targets = [(board.pods(called)[max(board.pods(called))]["status"]["podIP"], port) for called, port in ends]
    found = {caller: reached(board, min(board.pods(caller)), targets) for caller in CALLERS}
    found[STRANGER.name] = strangers.reach(targets)
    open_edges = {
        (caller, *end) for caller in found for end, is_open in zip(ends, found[caller], strict=True) if is_open
    }
    assert open_edges == {edge for edge in edges(board.manifests()) if edge[0] in found and edge[1:] in ends}
    figures["connections between pods"] = f"{len(open_edges)} of {len(found) * len(ends)} are possible"


def listening(board: ClusterBoard) -> dict[str, list[int]]:
    """Return the ports of each component that runs all the time."""
    lasting = [each for each in workloads(board.manifests()) if each["kind"] != "Job"]
    return {
        component(each): [port["containerPort"] for one in containers(each) for port in one.get("ports", [])]
        for each in lasting
    }


def reached(board: ClusterBoard, pod: str, targets: list[Target], namespace: str = "") -> list[bool]:
    """Return which targets accept a connection of a pod."""
    place = f"--namespace={namespace or board.namespace}"
    answer = kubectl("exec", place, pod, "--", "python", "-c", CONNECT, json.dumps(targets))
    found: list[bool] = json.loads(answer)
    return found
