"""The rules for every workload, as functions that yield one sentence for each manifest that breaks them."""

import re
from collections.abc import Callable, Iterator

from deploy.compose.haproxy_files import FOLDER as HAPROXY
from services.board.database.readiness import WAIT_SECONDS
from services.process.lifecycle import DRAIN_SECONDS, STEP_SECONDS
from services.process.settings import Settings
from tests.k8s.rendering import Manifest, component, containers, environment, pod, workloads

Rule = Callable[[list[Manifest]], Iterator[str]]
BOARD = ("api", "limiter", "fanout")
VOLUMES = {"configMap", "secret", "emptyDir", "projected", "persistentVolumeClaim", "downwardAPI"}
SHARED = {"hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace"}
HARDENED = {
    "automountServiceAccountToken": False,
    "enableServiceLinks": False,
    "securityContext": {
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
        **dict.fromkeys(("runAsUser", "runAsGroup", "fsGroup"), 10001),
        "fsGroupChangePolicy": "OnRootMismatch",
    },
}
LOCKED = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
SOFT_STOP = "trap 'while kill -USR1 $haproxy; do sleep 1; done &' TERM USR1"
# How long a node takes to stop sending new connections to a pod, DNS answers may be cached (README.md), and HAProxy
# takes to find a new address and to check it.
NOTICE_SECONDS, CACHED_SECONDS, CHECKED_SECONDS = 5, 30, 5
STORES = ("postgresql-rw", "valkey")
HARD_STOP = re.search(r"^ +hard-stop-after (\d+)s$", (HAPROXY / "haproxy.cfg").read_text(), re.MULTILINE)


def broken(manifests: list[Manifest]) -> list[str]:
    """Return a sentence for each rule that is broken, which begins with the name of the rule."""
    return [f"{rule.__name__}: {sentence}" for rule in RULES for sentence in rule(manifests)]


def name(manifest: Manifest) -> str:
    return f"{manifest['kind']} {manifest['metadata']['name']}"


def replicated(manifests: list[Manifest]) -> Iterator[tuple[Manifest, int]]:
    """Yield the workloads that serve, with the number of their replicas."""
    for workload in workloads(manifests):
        if workload["kind"] in ("Deployment", "StatefulSet"):
            yield workload, workload["spec"]["replicas"]


def namespace_is_restricted(manifests: list[Manifest]) -> Iterator[str]:
    for each in manifests:
        if each["kind"] == "Namespace":
            labels = each["metadata"]["labels"]
            levels = {labels.get(f"pod-security.kubernetes.io/{mode}") for mode in ("enforce", "audit", "warn")}
            if levels != {"restricted"}:
                yield f"{name(each)} does not enforce the standard restricted."


def pods_are_hardened(manifests: list[Manifest]) -> Iterator[str]:
    for each in workloads(manifests):
        spec = pod(each)["spec"]
        kinds = {kind for volume in spec.get("volumes", []) for kind in volume if kind != "name"}
        if spec.keys() & SHARED or not kinds <= VOLUMES:
            yield f"{name(each)} shares something with its node."
        if {key: spec.get(key) for key in HARDENED} != HARDENED:
            yield f"{name(each)} lacks a part of base/hardened."
        if any(container.get("securityContext") != LOCKED for container in containers(each)):
            yield f"{name(each)} has a container that can write to its root, gain privileges or use capabilities."


def images_are_tagged(manifests: list[Manifest]) -> Iterator[str]:
    for each in workloads(manifests):
        for container in containers(each):
            if not re.fullmatch(r"[^@]+:(?!latest$)[\w.-]+|[^@]+@sha256:[0-9a-f]{64}", container["image"]):
                yield f"{name(each)} runs {container['image']}, which may change."


def starts_may_wait_for_the_schema(manifests: list[Manifest]) -> Iterator[str]:
    for each, _ in replicated(manifests):
        if component(each) in BOARD:
            probe = containers(each)[0].get("startupProbe", {})
            room = probe.get("periodSeconds", 0) * probe.get("failureThreshold", 0)
            if room < WAIT_SECONDS + STEP_SECONDS:
                yield f"{name(each)} is restarted while it waits for the schema."


def stops_complete_what_is_in_flight(manifests: list[Manifest]) -> Iterator[str]:
    for each, _ in replicated(manifests):
        grace, needed = pod(each)["spec"].get("terminationGracePeriodSeconds", 30), seconds_of_a_stop(each, manifests)
        if grace < needed:
            yield f"{name(each)} is killed after {grace} s, and its stop may take {needed:g} s."


def seconds_of_a_stop(workload: Manifest, manifests: list[Manifest]) -> float:
    """Return how long a stop may take, with a margin; 0 for what may be killed."""
    if component(workload) in BOARD:
        return setting(workload, manifests, "drain_notice_seconds") + DRAIN_SECONDS + STEP_SECONDS
    hook = containers(workload)[0].get("lifecycle", {}).get("preStop", {})
    if component(workload) == "haproxy":
        assert HARD_STOP
        is_soft = SOFT_STOP in "".join(containers(workload)[0].get("command", []))
        pause = hook.get("sleep", {}).get("seconds", 0)
        return pause + int(HARD_STOP[1]) + 5 if is_soft and pause >= NOTICE_SECONDS else float("inf")
    command = hook.get("exec", {}).get("command", [])
    return sum(int(seconds) for seconds in re.findall(r"sleep (\d+)", " ".join(command)))


def setting(workload: Manifest, manifests: list[Manifest], field: str) -> float:
    """Return a setting of a workload in seconds: the value of its manifest, or the default."""
    return float(environment(workload, manifests).get(field.upper()) or Settings.model_fields[field].default)


def replacements_are_found_although_dns_answers_are_cached(manifests: list[Manifest]) -> Iterator[str]:
    for each in workloads(manifests):
        if component(each) == "api":
            serves = min(each["spec"].get("minReadySeconds", 0), setting(each, manifests, "drain_notice_seconds"))
            if serves < CACHED_SECONDS + CHECKED_SECONDS:
                yield f"{name(each)} stops serving before HAProxy knows its replacement."
    for service in (each for each in manifests if each["kind"] == "Service" and each["metadata"]["name"] in STORES):
        if service["spec"].get("clusterIP") == "None":
            yield f"{name(service)} has another address after every restart."


def replicas_leave_when_others_are_there(manifests: list[Manifest]) -> Iterator[str]:
    for each in workloads(manifests):
        rolling = each["spec"].get("strategy", {}).get("rollingUpdate")
        if each["kind"] == "Deployment" and rolling != {"maxSurge": 1, "maxUnavailable": 0}:
            yield f"{name(each)} stops replicas before the new ones are ready."
        if each["kind"] in ("Deployment", "StatefulSet") and each["spec"].get("minReadySeconds", 0) < 5:
            yield f"{name(each)} counts a new replica as ready immediately."


def secrets_are_files(manifests: list[Manifest]) -> Iterator[str]:
    for each in workloads(manifests):
        for container in containers(each):
            referred = [variable for variable in container.get("env", []) if "secretKeyRef" in str(variable)]
            named = [
                variable
                for variable in environment(each, manifests)
                if re.search(r"(PASS(WORD)?|SECRET|DATABASE_URL|REDIS_URL|LOG_KEY)$", variable)
            ]
            if referred or named or "secretRef" in str(container.get("envFrom")):
                yield f"{name(each)} has a secret in its environment."


def everything_is_labelled(manifests: list[Manifest]) -> Iterator[str]:
    for each in manifests:
        labels = each["metadata"].get("labels", {})
        wanted = {"app.kubernetes.io/name": "agent-board", "app.kubernetes.io/part-of": "agent-board"}
        if not wanted.items() <= labels.items():
            yield f"{name(each)} lacks the labels by which the board is found."
        if each["kind"] in ("Deployment", "StatefulSet", "Job") and component(each) != labels.get(
            "app.kubernetes.io/component"
        ):
            yield f"{name(each)} and its pods have different components."


RULES: tuple[Rule, ...] = (
    namespace_is_restricted,
    pods_are_hardened,
    images_are_tagged,
    starts_may_wait_for_the_schema,
    stops_complete_what_is_in_flight,
    replacements_are_found_although_dns_answers_are_cached,
    replicas_leave_when_others_are_there,
    secrets_are_files,
    everything_is_labelled,
)
