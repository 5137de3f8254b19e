"""A cluster as kubectl sees it. kubectl's progress reaches the operator unchanged; every failure becomes a sentence."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from deploy.k8s import context
from deploy.k8s.errors import ClusterError

# The first version in which every field that the manifests use is stable.
LEAST_VERSION = (1, 31)
Object = dict[str, Any]
NO_DEFINITIONS = "ensure CRDs are installed first"


class Cluster:
    """One context of a kubeconfig. KUBECONFIG is honoured, as in kubectl."""

    def __init__(self, context: str, environment: Mapping[str, str] | None = None) -> None:
        self.context = context
        self.environment = dict(os.environ if environment is None else environment)

    def show(self, *arguments: str, stdin: str = "") -> None:
        """Run kubectl with its output on the terminal. Raises ClusterError."""
        done = subprocess.run(self.command(*arguments), env=self.environment, input=stdin, text=True)
        if done.returncode != 0:
            raise ClusterError(f"kubectl {arguments[0]} failed (exit code {done.returncode}); its message is above.")

    def ask(self, *arguments: str, seconds: float = 60, stdin: str = "") -> str:
        """Run kubectl and return its output. Raises ClusterError, with its last line."""
        return answer(self.command(*arguments), self.environment, seconds, stdin)

    def find(self, *arguments: str) -> list[Object]:
        """Return the objects that `kubectl get` finds. Raises ClusterError."""
        found = json.loads(self.ask("get", *arguments, "--ignore-not-found", "--output=json") or '{"items": []}')
        return list(found["items"]) if "items" in found else [found]

    def read(self, namespace: str, pod: str, port: int, path: str) -> str:
        """Return what a pod answers to a GET, which the API server forwards. Raises ClusterError."""
        return self.ask("get", "--raw", f"/api/v1/namespaces/{namespace}/pods/{pod}:{port}/proxy{path}", seconds=20)

    def check_version(self) -> None:
        """Raise ClusterError unless the cluster answers and is new enough."""
        try:
            found = json.loads(self.ask("version", "--output=json", "--request-timeout=10s"))["serverVersion"]
        except ClusterError as error:
            raise ClusterError(f"The cluster {self.context} does not answer: {error}") from None
        version = tuple(int("".join(filter(str.isdigit, found[part]))) for part in ("major", "minor"))
        if version < LEAST_VERSION:
            least = ".".join(map(str, LEAST_VERSION))
            raise ClusterError(f"Kubernetes {least} or newer is needed; {self.context} runs {found['gitVersion']}.")

    def command(self, *arguments: str) -> list[str]:
        """Return the full command line of a kubectl command."""
        return ["kubectl", f"--context={self.context}", *arguments]


def chosen(environment: Mapping[str, str] | None = None) -> Cluster:
    """Return the cluster of CONTEXT, or the current one if it is on this machine. Raises ClusterError."""
    environment = os.environ if environment is None else environment
    if not environment.get("CONTEXT", "named").strip():
        raise ClusterError("CONTEXT is empty; leave it out.")
    view = answer(["kubectl", "config", "view", "--output=json"], environment, 20)
    cluster = Cluster(context.choose(view, environment.get("CONTEXT")), environment)
    cluster.check_version()
    return cluster


def answer(command: Sequence[str], environment: Mapping[str, str], seconds: float, stdin: str = "") -> str:
    called = " ".join(part for part in command[:4] if not part.startswith("--context="))
    try:
        done = subprocess.run(
            command, env=dict(environment), input=stdin, capture_output=True, text=True, timeout=seconds, check=False
        )
    except FileNotFoundError:
        raise ClusterError("The command kubectl is missing; install it.") from None
    except subprocess.TimeoutExpired:
        raise ClusterError(f"{called} did not finish within {seconds:g} seconds.") from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
        # The line before names the kind.
        reason = " ".join(said[-2:]) if said[-1] == NO_DEFINITIONS else said[-1]
        raise ClusterError(f"{called} failed: {reason}")
    return done.stdout
