"""Reports, in plain sentences, what is unfinished or wrong about the board's workloads and pods."""

from collections.abc import Iterable, Iterator
from typing import Any

from deploy.k8s.cluster import Object
from deploy.k8s.errors import ClusterError
from deploy.k8s.overlay import COMPONENT, Overlay

ENDS, WAITED, STUCK = "keeps ending", "(exit code 1)", "cannot start"
MANY_RESTARTS = 3
REVISION = "deployment.kubernetes.io/revision"


def unfinished(overlay: Overlay) -> list[str]:
    """Return what a roll, a start or a migration still has to do. Raises ClusterError if it has failed for good."""
    found = {f"{each['kind']}/{each['metadata']['name']}": each for each in overlay.workloads()}
    wanted = [each for each in overlay.objects if each["kind"] in ("Deployment", "StatefulSet", "Job")]
    sentences = []
    for each in wanted:
        name = f"{each['kind']}/{each['metadata']['name']}"
        sentence = (
            scaled_down(each, found[name]) or missing(overlay, found[name]) if name in found else "does not exist."
        )
        if sentence:
            sentences.append(f"{name} {sentence}")
    return sentences


def scaled_down(given: Object, found: Object) -> str:
    """Return what is wrong with a workload that was told to have fewer replicas than its manifest gives, or none."""
    wanted, told = given["spec"].get("replicas", 1), found["spec"].get("replicas", 1)
    return (
        ""
        if told >= wanted
        else f"is scaled to {told} of {wanted} replicas; kubectl scale or make k8s-up changes that."
    )


def missing(overlay: Overlay, workload: Object) -> str:
    status, name = workload.get("status", {}), workload["metadata"]["name"]
    conditions = {each["type"]: each for each in status.get("conditions", ()) if each["status"] == "True"}
    if workload["kind"] == "Job":
        if "Failed" in conditions:
            raise ClusterError(f"The job {name} has failed; its last log lines:{overlay.last_words(f'job/{name}')}")
        return "" if "Complete" in conditions else "is still running."
    if "ReplicaFailure" in conditions:
        return f"cannot create its pods: {conditions['ReplicaFailure']['message']}"
    wanted = workload["spec"].get("replicas", 1)
    if status.get("observedGeneration", 0) < workload["metadata"]["generation"]:
        return "has not been looked at by its controller."
    updated, ready = status.get("updatedReplicas", 0), status.get("readyReplicas", 0)
    available, total = status.get("availableReplicas", 0), status.get("replicas", 0)
    if updated < wanted or ready < wanted or available < wanted or total > wanted:
        return f"has {ready} of {wanted} replicas ready, {updated} of them with the current settings."
    return ""


def troubles(overlay: Overlay) -> Iterator[str]:
    """Yield a sentence for each pod that is not well. Raises ClusterError."""
    for pod in overlay.pods():
        if sentence := trouble(pod):
            name = pod["metadata"]["name"]
            words = overlay.last_words(name) if sentence.endswith("log lines:") else ""
            yield f"{name} {sentence}{words}"


def stuck(overlay: Overlay) -> Iterator[str]:
    """Yield a sentence for each pod that lacks its image or its Secret. Raises ClusterError."""
    for pod in overlay.pods():
        if (sentence := trouble(pod)).startswith(STUCK):
            yield f"{pod['metadata']['name']} {sentence}"


def hopeless(overlay: Overlay) -> Iterator[str]:
    """Yield a sentence for each pod of the current revision that can never start. Raises ClusterError.

    A process that has waited for its database in vain ends with 1, and may start later; wrong settings end it with 2.
    """
    sentences = [(pod, trouble(pod)) for pod in overlay.pods()]
    ending = [(pod, each) for pod, each in sentences if each.startswith(ENDS) and WAITED not in each]
    if not ending:
        return
    replica_sets = overlay.cluster.find("replicasets", f"--namespace={overlay.namespace}", f"--selector={COMPONENT}")
    former = former_replica_sets(overlay.workloads(), replica_sets)
    for pod, sentence in ending:
        if not former & owners(pod):
            name = pod["metadata"]["name"]
            yield f"{name} {sentence}{overlay.last_words(name)}"


def former_replica_sets(workloads: Iterable[Object], replica_sets: Iterable[Object]) -> set[str]:
    """Return the names of the replica sets that their Deployments replace, or may replace as soon as they look."""
    revisions = {
        each["metadata"]["name"]: each["metadata"].get("annotations", {}).get(REVISION)
        for each in workloads
        if each["status"].get("observedGeneration") == each["metadata"]["generation"]
    }
    return {
        each["metadata"]["name"]
        for each in replica_sets
        if each["metadata"].get("annotations", {}).get(REVISION) not in map(revisions.get, owners(each))
    }


def owners(each: Object) -> set[str]:
    return {str(owner["name"]) for owner in each["metadata"].get("ownerReferences", ())}


def trouble(pod: Object) -> str:
    """Return what is wrong with a pod, to follow its name; nothing if it is well, starting or ending."""
    status = pod["status"]
    if status.get("phase") == "Succeeded" or "deletionTimestamp" in pod["metadata"]:
        return ""
    for condition in status.get("conditions", ()):
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            return f"has no node: {condition.get('message', '')}"
    containers = [*status.get("initContainerStatuses", ()), *status.get("containerStatuses", ())]
    return next(filter(None, map(of_container, containers)), "")


def of_container(container: dict[str, Any]) -> str:
    state, last = container.get("state", {}), container.get("lastState", {}).get("terminated", {})
    waiting = state.get("waiting", {})
    if last.get("reason") == "OOMKilled":
        return "was killed because it exceeded its memory limit; its last log lines:"
    if waiting.get("reason") == "CrashLoopBackOff":
        return f"{ENDS} (exit code {last.get('exitCode')}); its last log lines:"
    if waiting and waiting["reason"] not in ("ContainerCreating", "PodInitializing"):
        return f"{STUCK}: {waiting['reason']}: {waiting.get('message', '')}"
    if container["restartCount"] >= MANY_RESTARTS:
        return f"has been restarted {container['restartCount']} times; its last log lines:"
    if "running" in state and not container["ready"]:
        return "is not ready; its last log lines:"
    return ""
