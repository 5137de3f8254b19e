"""The overlay of a small board under test, and the parts of overlays of boards under test."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.k8s.rendering import FOLDER, overlay

IMAGES = {
    "agent-board": "BOARD_IMAGE",
    "haproxy": "HAPROXY_IMAGE",
    "postgres": "POSTGRES_IMAGE",
    "valkey/valkey": "VALKEY_IMAGE",
}
SETTINGS = (
    # For the load of a few agents; other tests show that limits hold.
    "LIMIT_POSTS=100/60",
    "LIMIT_REGISTRATIONS=10000/3600",
    "SECURITY_CONTACT=mailto:security@board.example",
)
# The load comes from one address, and all of it may reach one of the load balancers.
EDGE = ("REQUESTS_PER_SECOND=200", "SEARCHES_PER_SECOND=50")
Patch = dict[str, Any]


def small(folder: Path, namespace: str, url: str, given: Mapping[str, str] = os.environ) -> Path:
    """Return overlays/small, unchanged but for its namespace, images, address and limits."""
    return overlay(
        folder,
        resources=[FOLDER / "overlays" / "small"],
        namespace=namespace,
        images=images(given),
        configMapGenerator=[
            settings("settings", f"BASE_URL={url}", *SETTINGS, namespace="agent-board"),
            settings("edge", *EDGE, namespace="agent-board"),
        ],
        patches=[node_port(url)],
    )


def node_port(url: str) -> Patch:
    """Return the patch that makes the board reachable at the port of its address."""
    port = add("/spec/ports/0/nodePort", int(url.rpartition(":")[2]))
    return patch("Service", "haproxy", add("/spec/type", "NodePort"), add("/spec/externalTrafficPolicy", "Local"), port)


def images(given: Mapping[str, str] = os.environ) -> list[dict[str, str]]:
    """Return the images that variables name."""
    named = {name: given[variable].rpartition(":") for name, variable in IMAGES.items() if given.get(variable)}
    return [{"name": name, "newName": image[0], "newTag": image[2]} for name, image in named.items()]


def of_a_small_node() -> Patch:
    """Return the resources with which every pod fits on a small node."""
    resources = {"requests": {"cpu": "25m", "memory": "512Mi"}, "limits": {"memory": "512Mi"}}
    step = {"op": "replace", "path": "/spec/template/spec/containers/0/resources", "value": resources}
    return {"target": {"kind": "Deployment|StatefulSet|Job"}, "patch": json.dumps([step])}


def settings(name: str, *literals: str, **more: str) -> dict[str, Any]:
    return {"name": name, "behavior": "merge", "literals": list(literals), **more}


def secret(name: str, values: dict[str, str]) -> dict[str, Any]:
    literals = [f"{key}={value}" for key, value in values.items()]
    return {"name": name, "options": {"disableNameSuffixHash": True}, "literals": literals}


def add(path: str, value: object) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


def patch(kind: str, name: str, *steps: dict[str, Any]) -> Patch:
    return {"target": {"kind": kind, "name": name}, "patch": json.dumps(steps)}


def deleted(kind: str, version: str) -> Patch:
    """Return the patch that leaves out every object of a kind."""
    gone = {"apiVersion": version, "kind": kind, "metadata": {"name": "any"}, "$patch": "delete"}
    return {"target": {"kind": kind}, "patch": json.dumps(gone)}
