"""A folder of manifests as Kustomize renders it, and the objects of it that the cluster has."""

import json
from collections.abc import Iterable
from pathlib import Path

from deploy.k8s.cluster import Cluster, Object
from deploy.k8s.errors import ClusterError

DIRECTORY = Path(__file__).resolve().parent / "overlays"
WORKLOADS = ("Deployment", "StatefulSet", "Job")
COMPONENT = "app.kubernetes.io/component"


class Overlay:
    """The manifests of one overlay, all in one namespace. Raises ClusterError if they cannot be rendered."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster = cluster
        self.path = folder(name)
        self.objects = self.render()
        self.namespace = self.find_namespace()

    def apply(self) -> None:
        """Create and change all objects, or only the namespace if the cluster refuses one. Raises ClusterError."""
        for each in self.objects:
            if each["kind"] == "Namespace":
                # Objects in a namespace that does not exist cannot be checked.
                self.cluster.ask("apply", "--filename=-", stdin=json.dumps(each))
        self.check()
        running = self.workloads()
        items = [with_replicas(each, running) for each in self.objects]
        whole = {"apiVersion": "v1", "kind": "List", "items": items}
        self.cluster.show("apply", "--filename=-", stdin=json.dumps(whole))

    def check(self) -> None:
        """Have the cluster check every object, without changing anything. Raises ClusterError."""
        self.cluster.ask(
            "apply", f"--kustomize={self.path}", "--dry-run=server", "--validate=strict", "--output=name", seconds=300
        )

    def workloads(self) -> list[Object]:
        """Return the overlay's workloads as they are in the cluster. Raises ClusterError."""
        return self.cluster.find(f"--namespace={self.namespace}", *self.names(*WORKLOADS))

    def names(self, *kinds: str) -> list[str]:
        """Return the names of the overlay's objects of some kinds, as kubectl accepts them: `Deployment/api`."""
        return [full_name(each) for each in self.objects if each["kind"] in kinds]

    def pods(self, component: str = "") -> list[Object]:
        """Return the board's pods, or those of one component, oldest first. Raises ClusterError."""
        selector = f"{COMPONENT}={component}" if component else COMPONENT
        found = self.cluster.find("pods", f"--namespace={self.namespace}", f"--selector={selector}")
        return sorted(found, key=lambda pod: str(pod["metadata"]["creationTimestamp"]))

    def last_words(self, pod: str, lines: int = 5) -> str:
        """Return the end of a pod's log, to follow a sentence that ends in a colon."""
        try:
            said = self.cluster.ask("logs", f"--namespace={self.namespace}", pod, f"--tail={lines}").splitlines()
        except ClusterError:
            said = []
        return "".join(f"\n  {line[:300]}" for line in said) or " none."

    def render(self) -> list[Object]:
        dry = ("--dry-run=client", "--validate=ignore", "--output=json")
        objects: list[Object] = []
        text = self.cluster.ask("create", f"--kustomize={self.path}", *dry).strip()
        while text:
            one, end = json.JSONDecoder().raw_decode(text)
            objects += one["items"] if one["kind"] == "List" else [one]
            text = text[end:].lstrip()
        return objects

    def find_namespace(self) -> str:
        found = {str(each["metadata"].get("namespace")) for each in self.objects if "namespace" in each["metadata"]}
        if len(found) != 1:
            raise ClusterError(f"{self.path} must put all objects into one namespace, not {len(found)}.")
        return found.pop()


def with_replicas(given: Object, running: Iterable[Object]) -> Object:
    """Return a workload that an autoscaler scales with the replicas that it has, and any other object as it is.

    Where the last manifest gave a number and this one gives none, kubectl would set it to 1.
    """
    if given["kind"] != "Deployment" or "replicas" in given["spec"]:
        return given
    counts = {full_name(each): each["spec"]["replicas"] for each in running if "replicas" in each["spec"]}
    count = counts.get(full_name(given))
    return given if count is None else {**given, "spec": {**given["spec"], "replicas": count}}


def folder(name: str) -> Path:
    path = DIRECTORY / name if (DIRECTORY / name).is_dir() else Path(name)
    if not (path / "kustomization.yaml").is_file():
        ours = ", ".join(sorted(each.name for each in DIRECTORY.iterdir()))
        raise ClusterError(f"{name} is neither a folder with a kustomization.yaml nor one of the overlays {ours}.")
    return path


def full_name(each: Object) -> str:
    group = each["apiVersion"].rpartition("/")[0]
    kind = f"{each['kind']}.{each['apiVersion'].rpartition('/')[2]}.{group}" if "." in group else each["kind"]
    return f"{kind}/{each['metadata']['name']}"
