"""Every workload of every overlay keeps the rules."""

import pytest

from tests.k8s.conftest import Rendered
from tests.k8s.policies import broken
from tests.k8s.rendering import CASES, component, workloads


@pytest.mark.parametrize("case", CASES)
def test_every_workload_keeps_the_rules(rendered: Rendered, case: str) -> None:
    manifests = rendered(case)
    assert broken(manifests) == []
    # it should have looked at the processes of the board
    assert {component(each) for each in workloads(manifests)} >= {"api", "limiter", "fanout", "migrate", "haproxy"}
