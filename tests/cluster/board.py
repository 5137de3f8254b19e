"""The board under test on a cluster, and ways to disturb its pods."""

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from deploy.k8s import doctor, running
from deploy.k8s.cluster import Object
from deploy.k8s.errors import ClusterError
from deploy.k8s.overlay import Overlay
from tests.chaos.board import Rows
from tests.k8s.rendering import overlay

SEPARATOR = "|"
COMPLETE_SECONDS = 600


@dataclass
class ClusterBoard:
    """A running board behind its edge. Its limit of posts is that of the overlay under test."""

    overlay: Overlay
    url: str
    started: str
    quota: int = 100
    window: int = 60
    # well below the load balancer's limit for one address
    pause: float = 1.5
    log_key: str = ""

    @property
    def urls(self) -> list[str]:
        return [self.url]

    async def query(self, statement: str) -> Rows:
        lines = (await asyncio.to_thread(self.sql, statement)).splitlines()
        return [line.split(SEPARATOR) for line in lines]

    def sql(self, statement: str) -> str:
        """Run a statement as PostgreSQL's superuser; return the rows, one per line."""
        psql = ("psql", "--username=postgres", "--no-align", "--tuples-only", "--no-psqlrc", "--dbname=agent_board")
        return self.kubectl("exec", "statefulset/postgresql", "--", *psql, f"--command={statement}").strip()

    def kubectl(self, *arguments: str, stdin: str = "") -> str:
        """Run kubectl in the board's namespace; return its output."""
        return self.overlay.cluster.ask(f"--namespace={self.overlay.namespace}", *arguments, seconds=300, stdin=stdin)

    def pods(self, component: str) -> dict[str, Object]:
        """Return the pods of a component that are not being deleted, by their names."""
        found = self.overlay.pods(component)
        return {pod["metadata"]["name"]: pod for pod in found if "deletionTimestamp" not in pod["metadata"]}

    def roll(self, component: str) -> None:
        """Replace every pod of a component, as an operator does."""
        self.kubectl("rollout", "restart", f"deployment/{component}")
        self.kubectl("rollout", "status", f"deployment/{component}", "--timeout=280s")
        self.until_gone(component)

    def kill(self, pod: str) -> None:
        """Take a pod away without letting it finish anything, as the loss of its node would."""
        self.kubectl("delete", "pod", pod, "--grace-period=0", "--force", "--wait=false")

    def evict(self, pod: str) -> bool:
        """Ask for the eviction of a pod, as a drain does; return whether the disruption budget allows it."""
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}}
        namespace = self.overlay.namespace
        path = f"/api/v1/namespaces/{namespace}/pods/{pod}/eviction"
        try:
            self.kubectl("create", f"--raw={path}", "--filename=-", stdin=json.dumps(eviction))
        except ClusterError as refusal:
            if "disruption budget" not in str(refusal):
                raise
            return False
        return True

    def until_complete(self) -> None:
        """Wait until every workload has its replicas, and no pod is left that is being deleted."""
        running.until_complete(self.overlay, COMPLETE_SECONDS)

    def until_gone(self, component: str) -> None:
        """Wait until every pod of a component that was being deleted has ended."""
        until(lambda: len(self.overlay.pods(component)) == len(self.pods(component)), "pods that never end")

    def apply(self) -> str:
        """Apply the overlay as it is; return what kubectl reports of each object."""
        return self.kubectl("apply", f"--kustomize={self.overlay.path}")

    def changed(self, folder: Path, **changes: object) -> Overlay:
        """Return the board's overlay with more components, settings or images."""
        here = {"resources": [self.overlay.path], "namespace": self.overlay.namespace}
        return Overlay(self.overlay.cluster, str(overlay(folder, **here, **changes)))  # type: ignore[arg-type]


def diagnosis(board: ClusterBoard) -> str:
    """Return the problems that the doctor reports."""
    try:
        doctor.doctor(board.overlay)
    except ClusterError as found:
        return str(found)
    return ""


def until(condition: Callable[[], bool], otherwise: str, seconds: float = 180) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.3)
