"""Every workload of every overlay keeps the rules, and each rule finds the manifest that breaks it."""

import copy
from typing import Any

import pytest

from tests.k8s.conftest import Rendered
from tests.k8s.policies import RULES, broken
from tests.k8s.rendering import CASES, Manifest, component, named, pod, workloads

REMOVED = object()
Where = tuple[str | int, ...]
TEMPLATE: Where = ("spec", "template", "spec")
CONTAINER: Where = (*TEMPLATE, "containers", 0)
# A kind and a name in the overlay small, what is changed there, and the rule that must see it.
WRONG: list[tuple[str, str, Where, Any, str]] = [
    ("Namespace", "agent-board", ("metadata", "labels", "pod-security.kubernetes.io/enforce"), "baseline",
     "namespace_is_restricted"),
    ("Deployment", "api", (*TEMPLATE, "hostNetwork"), True, "pods_are_hardened"),
    ("Deployment", "valkey", (*TEMPLATE, "volumes", 1), {"name": "data", "hostPath": {"path": "/"}},
     "pods_are_hardened"),
    ("StatefulSet", "postgresql", (*TEMPLATE, "securityContext", "runAsNonRoot"), False, "pods_are_hardened"),
    ("Deployment", "limiter", (*TEMPLATE, "enableServiceLinks"), REMOVED, "pods_are_hardened"),
    ("Job", "migrate", (*CONTAINER, "securityContext", "readOnlyRootFilesystem"), False, "pods_are_hardened"),
    ("Deployment", "fanout", (*CONTAINER, "resources", "requests", "cpu"), REMOVED, "resources_are_given"),
    ("Deployment", "fanout", (*CONTAINER, "resources", "limits", "cpu"), "1", "resources_are_given"),
    ("Deployment", "fanout", (*CONTAINER, "resources", "limits", "memory"), "1Gi", "resources_are_given"),
    ("Deployment", "api", (*CONTAINER, "image"), "agent-board:latest", "images_are_tagged"),
    ("Deployment", "api", (*CONTAINER, "image"), "registry.example:5000/agent-board", "images_are_tagged"),
    ("Deployment", "api", (*TEMPLATE, "topologySpreadConstraints", 0), REMOVED, "replicas_are_spread"),
    ("Deployment", "api", (*TEMPLATE, "topologySpreadConstraints", 0, "labelSelector", "matchLabels"), {"a": "b"},
     "replicas_are_spread"),
    ("Deployment", "haproxy", (*TEMPLATE, "topologySpreadConstraints", 1, "matchLabelKeys"), REMOVED,
     "replicas_are_spread"),
    ("Deployment", "valkey", (*CONTAINER, "livenessProbe"), REMOVED, "everything_that_serves_is_probed"),
    ("Deployment", "api", (*CONTAINER, "livenessProbe", "httpGet", "path"), "/readyz",
     "everything_that_serves_is_probed"),
    ("Deployment", "fanout", (*CONTAINER, "startupProbe", "failureThreshold"), 30, "starts_may_wait_for_the_schema"),
    ("Deployment", "api", (*TEMPLATE, "terminationGracePeriodSeconds"), 69, "stops_complete_what_is_in_flight"),
    ("Deployment", "api", (*TEMPLATE, "terminationGracePeriodSeconds"), REMOVED, "stops_complete_what_is_in_flight"),
    ("Deployment", "haproxy", (*TEMPLATE, "terminationGracePeriodSeconds"), 39, "stops_complete_what_is_in_flight"),
    ("Deployment", "haproxy", (*CONTAINER, "lifecycle"), REMOVED, "stops_complete_what_is_in_flight"),
    ("Deployment", "haproxy", (*CONTAINER, "command"), REMOVED, "stops_complete_what_is_in_flight"),
    ("Deployment", "api", ("spec", "minReadySeconds"), 30, "replacements_are_found_although_dns_answers_are_cached"),
    ("Deployment", "api", (*CONTAINER, "env", 7, "value"), "4",
     "replacements_are_found_although_dns_answers_are_cached"),
    ("Service", "postgresql-rw", ("spec", "clusterIP"), "None",
     "replacements_are_found_although_dns_answers_are_cached"),
    ("StatefulSet", "postgresql", (*TEMPLATE, "terminationGracePeriodSeconds"), 30,
     "stops_complete_what_is_in_flight"),
    ("Deployment", "api", ("spec", "strategy", "rollingUpdate", "maxUnavailable"), 1,
     "replicas_leave_when_others_are_there"),
    ("Deployment", "api", ("spec", "minReadySeconds"), REMOVED, "replicas_leave_when_others_are_there"),
    ("PodDisruptionBudget", "api", ("spec", "unhealthyPodEvictionPolicy"), REMOVED,
     "budgets_are_kept_where_there_are_replicas"),
    ("PodDisruptionBudget", "api", ("spec", "selector", "matchLabels", "app.kubernetes.io/component"), "valkey",
     "budgets_are_kept_where_there_are_replicas"),
    ("Deployment", "limiter", ("spec", "replicas"), 1, "budgets_are_kept_where_there_are_replicas"),
    ("Deployment", "limiter", (*CONTAINER, "env", 0),
     {"name": "REDIS", "valueFrom": {"secretKeyRef": {"name": "limiter", "key": "redis_url"}}}, "secrets_are_files"),
    ("Deployment", "limiter", (*CONTAINER, "env", 0), {"name": "OPERATOR_SECRET", "value": "x"}, "secrets_are_files"),
    ("Deployment", "fanout", (*CONTAINER, "env", 0), {"name": "LOG_KEY", "value": "x"}, "secrets_are_files"),
    ("Deployment", "limiter", (*CONTAINER, "envFrom", 0), {"secretRef": {"name": "limiter"}}, "secrets_are_files"),
    ("Service", "haproxy", ("metadata", "labels", "app.kubernetes.io/part-of"), REMOVED, "everything_is_labelled"),
    ("Deployment", "api", ("metadata", "labels", "app.kubernetes.io/component"), "web", "everything_is_labelled"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_every_workload_keeps_the_rules(rendered: Rendered, case: str) -> None:
    manifests = rendered(case)
    assert broken(manifests) == []
    # it should have looked at the processes of the board
    assert {component(each) for each in workloads(manifests)} >= {"api", "limiter", "fanout", "migrate", "haproxy"}


def test_a_wrong_manifest_breaks_its_rule(rendered: Rendered) -> None:
    for kind, name, where, value, rule in WRONG:
        manifests = copy.deepcopy(rendered("overlays/small"))
        change(named(manifests, kind, name), where, value)
        assert any(sentence.startswith(f"{rule}: ") for sentence in broken(manifests)), (kind, name, where, value)


def test_every_rule_has_a_manifest_that_breaks_it() -> None:
    assert {rule for *_, rule in WRONG} == {rule.__name__ for rule in RULES}


def test_a_second_container_is_looked_at_too(rendered: Rendered) -> None:
    manifests = copy.deepcopy(rendered("overlays/small"))
    pod(named(manifests, "Deployment", "api"))["spec"]["initContainers"] = [{"name": "x", "image": "busybox"}]
    found = {sentence.partition(":")[0] for sentence in broken(manifests)}
    assert {"pods_are_hardened", "resources_are_given", "images_are_tagged"} <= found


def change(manifest: Manifest, where: Where, value: Any) -> None:
    """Set or remove what a path leads to."""
    at: Any = manifest
    for step in where[:-1]:
        at = at[step]
    if value is REMOVED:
        del at[where[-1]]
    else:
        at[where[-1]] = value
