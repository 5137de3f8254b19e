"""Reports what is wrong with the board on a cluster in plain sentences, and changes nothing."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import chain

from deploy.k8s import pods
from deploy.k8s.cluster import Object
from deploy.k8s.errors import ClusterError
from deploy.k8s.overlay import COMPONENT, WORKLOADS, Overlay, full_name

METRICS_PORT, PUBLIC_PORT = 8405, 8000
UP = re.compile(r'haproxy_server_status\{proxy="api",server="[^"]+",state="UP"\} 1')
Check = Callable[[Overlay], Iterator[str]]


def doctor(overlay: Overlay) -> str:
    """Report that all is well. Raises ClusterError with one sentence for each problem."""
    wrong: list[str] = []
    for check in (applied, images, pods.unfinished, pods.troubles, volumes, backups, balanced, answers):
        try:
            wrong += check(overlay)
        except ClusterError as error:
            wrong.append(str(error))
    if wrong:
        raise ClusterError("\n".join(["problems found:", *(f"- {sentence}" for sentence in wrong)]))
    return "All is well."


def applied(overlay: Overlay) -> Iterator[str]:
    found = overlay.cluster.find(f"--kustomize={overlay.path}")
    there = {(each["kind"], each["metadata"]["name"]) for each in found}
    for each in overlay.objects:
        if (each["kind"], each["metadata"]["name"]) not in there:
            yield f"{each['kind']}/{each['metadata']['name']} does not exist; make k8s-up creates it."


def images(overlay: Overlay) -> Iterator[str]:
    """Yield a sentence for each workload that has another image than the overlay names."""
    found = {full_name(each): each for each in overlay.workloads()}
    for each in overlay.objects:
        if each["kind"] in WORKLOADS and full_name(each) in found:
            given, running = image_of(each), image_of(found[full_name(each)])
            if given != running:
                yield f"{full_name(each)} runs the image {running} instead of {given}; make k8s-up changes it."


def image_of(workload: Object) -> str:
    return str(workload["spec"]["template"]["spec"]["containers"][0]["image"])


def volumes(overlay: Overlay) -> Iterator[str]:
    """Yield a sentence for each claim without a volume. Many storage classes make a volume only for the first pod."""
    used = set(chain.from_iterable(map(claims, overlay.pods())))
    for claim in overlay.cluster.find("persistentvolumeclaims", f"--namespace={overlay.namespace}"):
        name, phase = claim["metadata"]["name"], claim["status"].get("phase")
        if name in used and phase != "Bound":
            yield f"The volume claim {name} is {phase}, not bound."


def claims(pod: Object) -> Iterator[str]:
    """Yield the names of the volume claims that a pod uses."""
    for volume in pod["spec"].get("volumes", ()):
        if "persistentVolumeClaim" in volume:
            yield volume["persistentVolumeClaim"]["claimName"]


def backups(overlay: Overlay) -> Iterator[str]:
    """Yield a sentence if the newest backup has failed."""
    found = overlay.cluster.find("jobs", f"--namespace={overlay.namespace}", f"--selector={COMPONENT}=backup")
    ended = sorted((end for each in found for end in ends(each)), reverse=True)
    if ended and ended[0][1] == "Failed":
        name = ended[0][2]
        yield f"The newest backup, job/{name}, has failed; its last log lines:{overlay.last_words(f'job/{name}')}"


def ends(job: Object) -> Iterator[tuple[str, str, str]]:
    """Yield when and how a job has ended, and its name; nothing while it runs."""
    for each in job["status"].get("conditions", ()):
        if each["type"] in ("Complete", "Failed") and each["status"] == "True":
            yield each["lastTransitionTime"], each["type"], job["metadata"]["name"]


def balanced(overlay: Overlay) -> Iterator[str]:
    ready = [pod["metadata"]["name"] for pod in overlay.pods("api") if is_ready(pod)]
    for name in (pod["metadata"]["name"] for pod in overlay.pods("haproxy") if is_ready(pod)):
        seen = len(UP.findall(overlay.cluster.read(overlay.namespace, name, METRICS_PORT, "/metrics")))
        if seen != len(ready):
            yield f"{name} finds {seen} of {len(ready)} API processes ready."


def answers(overlay: Overlay) -> Iterator[str]:
    for pod in overlay.pods("api"):
        if not is_ready(pod):
            continue
        name = pod["metadata"]["name"]
        health = json.loads(overlay.cluster.read(overlay.namespace, name, PUBLIC_PORT, "/api/health"))
        if health["status"] != "ok":
            yield f"{name} reports that the board is {health['status']}: {json.dumps(health)}"


def is_ready(pod: Object) -> bool:
    """Whether a pod is ready, and is not being deleted: one that drains is still ready, but is called no more."""
    conditions = pod["status"].get("conditions", ())
    ready = any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
    return ready and "deletionTimestamp" not in pod["metadata"]
