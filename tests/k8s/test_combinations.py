"""Components added to an overlay, in any order, need nothing that is not there: versions, labels, keys of Secrets."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.k8s.policies import everything_is_labelled, images_are_tagged
from tests.k8s.rendering import FOLDER, Manifest, containers, kustomize, overlay, pod, workloads

# Components that may be added to an overlay: README.md has the others in place of a component of the overlay.
ADDED = {
    "small": ("monitoring", "tls", "mcp"),
    "production": ("monitoring", "log", "mcp"),
}
IN_SHORT = ("log", "mcp")
ON_OVERLAYS = [
    pytest.param(name, component, marks=() if component in IN_SHORT else pytest.mark.slow)
    for name, components in ADDED.items()
    for component in components
]
# Users of the stores, before them and after them.
USERS = ("monitoring", "log")
STORES = [("cloudnative-pg", "external-valkey"), ("external-database", "valkey")]
COPIES = [each for stores in STORES for each in ((*USERS, *stores), (*stores, *USERS))]
# The Secret that CloudNativePG makes, and its keys that are used.
MADE = {"postgresql-app": {"uri"}}


def documented() -> dict[str, set[str]]:
    """Return the keys of each Secret that README.md tells operators to create."""
    _, _, text = (FOLDER / "README.md").read_text().partition("the Secrets with these keys first:\n\n")
    items = re.findall(r"^- `([\w-]+)`: (.+(?:\n  .+)*)", text.partition("\n\n")[0], re.MULTILINE)
    return {name: set(re.findall(r"`([\w.]+)`", keys)) for name, keys in items}


def combined(base: str, components: Sequence[str], folder: Path) -> list[Manifest]:
    """Return an overlay of an operator's own, with components and an image of its own."""
    own = overlay(
        folder / "own",
        resources=[FOLDER / base],
        components=[FOLDER / "components" / each for each in components],
        namespace="agent-board",
        images=[{"name": "agent-board", "newName": "registry.example/agent-board", "newTag": "7"}],
    )
    return list(yaml.load_all(kustomize(own), Loader=yaml.CSafeLoader))


@pytest.mark.parametrize(("name", "component"), ON_OVERLAYS)
def test_a_component_is_added_to_an_overlay(name: str, component: str, tmp_path: Path) -> None:
    check(combined(f"overlays/{name}", [component], tmp_path))


@pytest.mark.parametrize("components", COPIES, ids="-".join)
def test_components_are_named_in_any_order(components: tuple[str, ...], tmp_path: Path) -> None:
    check(combined("base", ["images", *components], tmp_path))


def check(manifests: list[Manifest]) -> None:
    assert [*images_are_tagged(manifests), *everything_is_labelled(manifests), *missing_keys(manifests)] == []
    used = {container["image"] for each in workloads(manifests) for container in containers(each)}
    assert "registry.example/agent-board:7" in used


def missing_keys(manifests: list[Manifest]) -> Iterator[str]:
    """Yield each key of a Secret that a pod mounts and no manifest makes."""
    there = {**documented(), **MADE}
    for each in manifests:
        if each["kind"] == "Secret":
            there.setdefault(each["metadata"]["name"], set()).update(
                {**each.get("data", {}), **each.get("stringData", {})}
            )
    for workload in workloads(manifests):
        for secret in secrets_of(pod(workload)["spec"].get("volumes", [])):
            wanted = {item["key"] for item in secret.get("items", ())}
            lacking = wanted - there.get(str(secret.get("secretName") or secret.get("name")), set())
            if lacking and not secret.get("optional"):
                yield f"{workload['kind']} {workload['metadata']['name']} mounts {sorted(lacking)} of {secret}."


def secrets_of(volumes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for volume in volumes:
        if "secret" in volume:
            yield volume["secret"]
        for source in volume.get("projected", {}).get("sources", ()):
            if "secret" in source:
                yield source["secret"]
