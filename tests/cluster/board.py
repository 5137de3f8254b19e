"""The board under test on a cluster, and ways to disturb its pods."""

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.kubectl import Object, Refused, find, kubectl, make
from tests.history.audited import Rows

SEPARATOR = "|"
OF_THE_BOARD = "--selector=app.kubernetes.io/part-of=agent-board"


@dataclass
class ClusterBoard:
    """A running board behind its edge, of the overlay in a folder. Its limit of posts is that of the overlay."""

    folder: Path
    namespace: str
    url: str
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
        return kubectl(f"--namespace={self.namespace}", *arguments, stdin=stdin)

    def up(self) -> None:
        """Apply the board's overlay, and wait until it is complete."""
        make("k8s-up", self.folder, self.namespace)

    def found(self, kinds: str, selector: str = OF_THE_BOARD) -> list[Object]:
        """Return the objects of some kinds, such as `pods` or `jobs,deployments`."""
        return find(kinds, f"--namespace={self.namespace}", selector)

    def pods(self, component: str) -> dict[str, Object]:
        """Return the pods of a component that are not being deleted, by their names."""
        found = self.found("pods", of(component))
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
        path = f"/api/v1/namespaces/{self.namespace}/pods/{pod}/eviction"
        try:
            self.kubectl("create", f"--raw={path}", "--filename=-", stdin=json.dumps(eviction))
        except Refused as refusal:
            if "disruption budget" not in str(refusal):
                raise
            return False
        return True

    def until_complete(self) -> None:
        """Wait until every workload has its replicas."""
        self.kubectl("rollout", "status", "deployment,statefulset", OF_THE_BOARD, "--timeout=580s")

    def until_gone(self, component: str) -> None:
        """Wait until every pod of a component that was being deleted has ended."""
        until(lambda: len(self.found("pods", of(component))) == len(self.pods(component)), "pods that never end")


def of(component: str) -> str:
    return f"--selector=app.kubernetes.io/component={component}"


def until(condition: Callable[[], bool], otherwise: str, seconds: float = 180) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.3)
