"""Starting and stopping the board on a cluster."""

import re
import time

from deploy.k8s import pods
from deploy.k8s.cluster import Object
from deploy.k8s.errors import ClusterError
from deploy.k8s.overlay import COMPONENT, Overlay
from deploy.observability import generated_files

# These hold the board's data and passwords.
KEPT = ("Namespace", "PersistentVolumeClaim", "Secret")
START_SECONDS = 600


def up(overlay: Overlay) -> str:
    """Apply the overlay, wait until it is complete, and return how to reach the board. Raises ClusterError."""
    generated_files.main()
    overlay.apply()
    until_complete(overlay)
    return welcome(overlay)


def until_complete(overlay: Overlay, seconds: float = START_SECONDS) -> None:
    """Wait until every workload has its replicas of this revision, and print what it still waits for.

    Raises ClusterError after this time, or if a process can never start.
    """
    deadline, printed = time.monotonic() + seconds, set[str]()
    while missing := pods.unfinished(overlay):
        if hopeless := list(pods.hopeless(overlay)):
            raise ClusterError("\n".join(("a process cannot start:", *(f"- {sentence}" for sentence in hopeless))))
        if time.monotonic() > deadline:
            reasons = "\n".join(f"- {sentence}" for sentence in (*missing, *pods.troubles(overlay)))
            raise ClusterError(f"not complete within {seconds:g} seconds:\n{reasons}")
        names = ", ".join(sentence.partition(" ")[0] for sentence in missing)
        for line in (f"Waiting for {names}", *pods.stuck(overlay)):
            if line not in printed:
                print(line, flush=True)
            printed.add(line)
        time.sleep(1)


def down(overlay: Overlay) -> str:
    """Delete everything of the overlay except data and passwords. Raises ClusterError."""
    kinds = {each["kind"] for each in overlay.objects}.difference(KEPT)
    overlay.cluster.show(
        "delete", f"--namespace={overlay.namespace}", "--ignore-not-found", "--wait", *overlay.names(*kinds)
    )
    # Earlier releases have left theirs.
    overlay.cluster.show("delete", "jobs", f"--namespace={overlay.namespace}", f"--selector={COMPONENT}=migrate")
    return (
        f"The board has stopped; its volumes and secrets stay in {overlay.namespace}. To delete these, too:\n"
        f"  kubectl --context={overlay.cluster.context} delete namespace {overlay.namespace}"
    )


def welcome(overlay: Overlay) -> str:
    context = overlay.cluster.context
    kubectl = f"kubectl --context={context} --namespace={overlay.namespace}"
    chosen = f"CONTEXT={context} OVERLAY={overlay.path}"
    [service] = [each for each in overlay.objects if is_named(each, "Service", "haproxy")]
    port = service["spec"]["ports"][0]["port"]
    [settings] = [each for each in overlay.objects if is_named(each, "ConfigMap", "settings")]
    return f"""
The board is running. Its links lead to {settings["data"]["BASE_URL"]}

  from this machine  {kubectl} port-forward service/haproxy 8000:{port}
  for operators      {kubectl} exec deployment/fanout -- agent-board --help
                     make k8s-doctor {chosen}
                     make k8s-down {chosen}
"""


def is_named(each: Object, kind: str, name: str) -> bool:
    """Whether an object has this name, with or without the digest that Kustomize adds."""
    return each["kind"] == kind and bool(re.fullmatch(rf"{name}(-[a-z0-9]{{10}})?", each["metadata"]["name"]))
