"""The sentences of the doctor about volumes and backups; tests/cluster shows them on real ones."""

from typing import Any

import pytest

from deploy.k8s.cluster import Cluster
from deploy.k8s.doctor import backups, volumes
from deploy.k8s.overlay import Overlay


class Board(Cluster, Overlay):
    """A cluster, and a board in it, with one kind of objects."""

    def __init__(self, *found: dict[str, Any], used: str = "") -> None:
        self.found, self.used, self.cluster, self.namespace = list(found), used, self, "agent-board"

    def find(self, *arguments: str) -> list[dict[str, Any]]:
        return self.found

    def pods(self, component: str = "") -> list[dict[str, Any]]:
        claim = {"persistentVolumeClaim": {"claimName": self.used}}
        return [{"spec": {"volumes": [{"emptyDir": {}}, claim]}}, {"spec": {}}]

    def last_words(self, pod: str, lines: int = 5) -> str:
        return f" those of {pod}."


def claim(phase: str) -> dict[str, Any]:
    return {"metadata": {"name": "backups"}, "status": {"phase": phase}}


@pytest.mark.parametrize(
    ("phase", "used", "sentences"),
    [
        ("Bound", "backups", []),
        ("Pending", "backups", ["The volume claim backups is Pending, not bound."]),
        # a storage class that waits for the first pod, before the first backup
        ("Pending", "data", []),
    ],
)
def test_a_claim_that_a_pod_uses_must_have_a_volume(phase: str, used: str, sentences: list[str]) -> None:
    assert list(volumes(Board(claim(phase), used=used))) == sentences


def job(name: str, *ends: tuple[str, str]) -> dict[str, Any]:
    conditions = [{"type": kind, "status": "True", "lastTransitionTime": at} for kind, at in ends]
    return {"metadata": {"name": name}, "status": {"conditions": conditions}}


OLD, NEW = "2026-11-23T03:00:00Z", "2026-11-24T03:00:00Z"
FAILED = "The newest backup, job/second, has failed; its last log lines: those of job/second."


@pytest.mark.parametrize(
    ("jobs", "sentences"),
    [
        ([], []),
        ([job("first", ("Failed", OLD)), job("second", ("Complete", NEW))], []),
        ([job("second", ("FailureTarget", NEW), ("Failed", NEW)), job("first", ("Complete", OLD))], [FAILED]),
        # the next one still runs
        ([job("second", ("Failed", NEW)), job("third")], [FAILED]),
    ],
)
def test_only_the_newest_backup_counts(jobs: list[dict[str, Any]], sentences: list[str]) -> None:
    assert list(backups(Board(*jobs))) == sentences
