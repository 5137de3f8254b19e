"""The sentences of the commands about a pod; tests/cluster shows them on real ones."""

from typing import Any

import pytest

from deploy.k8s.cluster import Cluster
from deploy.k8s.errors import ClusterError
from deploy.k8s.overlay import Overlay, with_replicas
from deploy.k8s.pods import former_replica_sets, hopeless, scaled_down, trouble
from deploy.k8s.running import until_complete


def pod(container: dict[str, Any], *conditions: dict[str, str], **metadata: str) -> dict[str, Any]:
    """A pod with one container, as the API server reports it."""
    status = {"phase": "Running", "conditions": list(conditions)}
    one = {"restartCount": 0, "ready": True, "state": {"running": {}}, **container}
    return {"metadata": {"name": "api-1", **metadata}, "status": {**status, "containerStatuses": [one]}}


def waiting(reason: str, message: str = "") -> dict[str, Any]:
    return {"ready": False, "state": {"waiting": {"reason": reason, "message": message}}}


KILLED = {"lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}}
FAILED = {"lastState": {"terminated": {"reason": "Error", "exitCode": 78}}}
NO_NODE = {"type": "PodScheduled", "status": "False", "message": "0/1 nodes are available: Insufficient cpu."}


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (pod({}), ""),
        (pod(waiting("ContainerCreating")), ""),
        (pod(waiting("ErrImagePull"), deletionTimestamp="2026-11-23T12:00:00Z"), ""),
        (pod({}, NO_NODE), "has no node: 0/1 nodes are available: Insufficient cpu."),
        (pod(waiting("ImagePullBackOff", "not found")), "cannot start: ImagePullBackOff: not found"),
        (
            pod(waiting("CreateContainerConfigError", 'secret "x" not found')),
            'cannot start: CreateContainerConfigError: secret "x" not found',
        ),
        (pod(waiting("CrashLoopBackOff") | FAILED), "keeps ending (exit code 78); its last log lines:"),
        (
            pod(waiting("CrashLoopBackOff") | KILLED),
            "was killed because it exceeded its memory limit; its last log lines:",
        ),
        (pod({"restartCount": 3} | FAILED), "has been restarted 3 times; its last log lines:"),
        (pod({"ready": False}), "is not ready; its last log lines:"),
    ],
)
def test_a_pod_that_is_not_well_is_described(found: dict[str, Any], sentence: str) -> None:
    assert trouble(found) == sentence


@pytest.mark.parametrize(("given", "told", "counts"), [(2, 0, "0 of 2"), (3, 2, "2 of 3"), (None, 0, "0 of 1")])
def test_a_workload_that_was_scaled_down_is_described(given: int | None, told: int, counts: str) -> None:
    """Without a number in its manifest, an autoscaler decides, which never chooses 0."""
    manifest = {"kind": "Deployment", "spec": {} if given is None else {"replicas": given}}
    assert f"is scaled to {counts} replicas" in scaled_down(manifest, {"spec": {"replicas": told}})
    assert scaled_down(manifest, {"spec": {"replicas": 3}}) == ""
    # a Job has no replicas
    assert scaled_down({"kind": "Job", "spec": {}}, {"spec": {}}) == ""


def revised(kind: str, name: str, revision: str, owner: str = "", **status: int) -> dict[str, Any]:
    metadata = {"name": name, "generation": 2, "annotations": {"deployment.kubernetes.io/revision": revision}}
    owners = {"ownerReferences": [{"name": owner}]} if owner else {}
    return {"kind": kind, "metadata": metadata | owners, "status": status}


@pytest.mark.parametrize(
    ("observed", "former"),
    [
        (2, {"api-old"}),
        # until the controller has looked at the new manifest, any pod may be of the old one
        (1, {"api-old", "api-new"}),
    ],
)
def test_only_pods_of_the_current_revision_make_a_start_hopeless(observed: int, former: set[str]) -> None:
    deployment = revised("Deployment", "api", "7", observedGeneration=observed)
    ages = (("old", "6"), ("new", "7"))
    replica_sets = [revised("ReplicaSet", f"api-{age}", revision, "api") for age, revision in ages]
    assert former_replica_sets([deployment], replica_sets) == former


def test_an_autoscaler_added_to_a_board_changes_no_number_of_replicas() -> None:
    def deployment(name: str, **spec: int) -> dict[str, Any]:
        return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}

    running = [deployment("api", replicas=4), deployment("fanout", replicas=2)]
    assert with_replicas(deployment("api"), running)["spec"] == {"replicas": 4}
    assert with_replicas(deployment("api", replicas=2), running)["spec"] == {"replicas": 2}
    # a workload that does not run yet starts with the number of the cluster
    assert with_replicas(deployment("limiter"), running)["spec"] == {}


class Starting(Overlay):
    """An overlay with one Deployment, which the cluster lacks, and one pod."""

    def __init__(self, container: dict[str, Any]) -> None:
        self.container, self.cluster, self.namespace = container, Empty("none"), "agent-board"
        self.objects = [{"kind": "Deployment", "metadata": {"name": "api"}}]

    def workloads(self) -> list[dict[str, Any]]:
        return []

    def pods(self, component: str = "") -> list[dict[str, Any]]:
        return [pod(self.container)]

    def last_words(self, pod: str, lines: int = 5) -> str:
        return " LIMIT_ACCOUNT allows at most 10000 calls."


class Empty(Cluster):
    """A cluster without replica sets."""

    def find(self, *arguments: str) -> list[dict[str, Any]]:
        return []


def test_wrong_settings_end_a_start_and_a_database_that_is_away_does_not() -> None:
    def ended(exit_code: int) -> dict[str, Any]:
        return waiting("CrashLoopBackOff") | {"lastState": {"terminated": {"exitCode": exit_code}}}

    assert list(hopeless(Starting(ended(2)))) == [
        "api-1 keeps ending (exit code 2); its last log lines: LIMIT_ACCOUNT allows at most 10000 calls."
    ]
    assert list(hopeless(Starting(ended(1)))) == []


def test_a_start_prints_once_what_it_waits_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ClusterError, match=r"^not complete within 1\.5 seconds:"):
        until_complete(Starting(waiting("ErrImagePull", "absent:none not found")), 1.5)
    expected = ["Waiting for Deployment/api", "api-1 cannot start: ErrImagePull: absent:none not found"]
    assert capsys.readouterr().out.splitlines() == expected
