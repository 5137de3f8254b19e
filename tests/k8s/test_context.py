"""The commands act on a cluster only if its context is named, or is certainly on this machine."""

import json

import pytest

from deploy.k8s.context import choose
from deploy.k8s.errors import ClusterError

LOCAL = (
    ("kind-board", "https://127.0.0.1:40123"),
    ("k3d-board", "https://localhost:6550"),
    ("minikube", "https://[::1]:8443"),
)
OTHERS = (
    # a tunnel to a cluster elsewhere
    ("production", "https://127.0.0.1:6443"),
    ("default", "https://localhost:6443"),
    # the name of a local cluster, elsewhere
    ("kind-board", "https://203.0.113.7:6443"),
    ("minikube", "https://cluster.example"),
)


def configuration(*contexts: tuple[str, str], current: str = "") -> str:
    """A kubeconfig as `kubectl config view` shows it."""
    return json.dumps(
        {
            "clusters": [{"name": f"of-{name}", "cluster": {"server": server}} for name, server in contexts],
            "contexts": [{"name": name, "context": {"cluster": f"of-{name}"}} for name, _ in contexts],
            "current-context": current,
        }
    )


@pytest.mark.parametrize(("name", "server"), LOCAL)
def test_a_current_context_on_this_machine_needs_no_name(name: str, server: str) -> None:
    assert choose(configuration((name, server), current=name), None) == name


@pytest.mark.parametrize(("name", "server"), OTHERS)
def test_any_other_context_must_be_named(name: str, server: str) -> None:
    found = configuration((name, server), current=name)
    with pytest.raises(ClusterError, match=f"CONTEXT={name}"):
        choose(found, None)
    assert choose(found, name) == name


def test_a_name_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ClusterError, match="no context staging; it has production"):
        choose(configuration(OTHERS[0], current="production"), "staging")


def test_without_a_current_context_a_name_is_needed() -> None:
    for found in (configuration(LOCAL[0]), json.dumps({"clusters": None, "contexts": None, "current-context": ""})):
        with pytest.raises(ClusterError, match="CONTEXT="):
            choose(found, None)
