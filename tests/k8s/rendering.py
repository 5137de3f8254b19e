"""The manifests as Kustomize renders them: each overlay, and each component on top of the base."""

import fcntl
import os
import subprocess
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from deploy.environment import CHECKOUT
from deploy.observability import generated_files
from tests.programs import needs

Manifest = dict[str, Any]
FOLDER = CHECKOUT / "deploy/k8s"
OVERLAYS = sorted(path.name for path in (FOLDER / "overlays").iterdir())
COMPONENTS = sorted(path.name for path in (FOLDER / "components").iterdir())
CASES = [f"overlays/{name}" for name in OVERLAYS] + [f"components/{name}" for name in COMPONENTS]
# The additions of overlays to every manifest.
LABELS = {"app.kubernetes.io/name": "agent-board", "app.kubernetes.io/part-of": "agent-board"}


def render(case: str, scratch: Path) -> list[Manifest]:
    """Return the manifests of a case. Other workers share the rendered file, in the folder `scratch`."""
    file = scratch / f"{case.replace('/', '-')}.yaml"
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            kind, _, name = case.partition("/")
            text = kustomize(FOLDER / case if kind == "overlays" else alone(name, scratch))
            unfinished = file.with_suffix(".unfinished")
            unfinished.write_text(text)
            unfinished.replace(file)
    return list(parsed(file))


@lru_cache
def parsed(file: Path) -> tuple[Manifest, ...]:
    return tuple(yaml.load_all(file.read_text(), Loader=yaml.CSafeLoader))


def alone(component: str, scratch: Path) -> Path:
    """Return a folder with an overlay that consists of the base, one component, and the tags of the images."""
    parts = [FOLDER / "components" / name for name in dict.fromkeys((component, "images"))]
    return overlay(
        scratch / component,
        resources=[FOLDER / "base"],
        components=parts,
        namespace="agent-board",
        labels=[{"pairs": LABELS, "includeTemplates": True}],
    )


def overlay(folder: Path, *, resources: list[Path], components: list[Path] | None = None, **more: object) -> Path:
    """Write a kustomization, whose folders Kustomize accepts only as relative paths; return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "resources": [os.path.relpath(path, folder) for path in resources],
        "components": [os.path.relpath(path, folder) for path in components or []],
        **more,
    }
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(content))
    return folder


def kustomize(folder: Path) -> str:
    """Return what `kubectl kustomize` prints for a folder."""
    kubectl = needs("kubectl", "kubernetes-client")
    generated_files.main()
    done = subprocess.run([kubectl, "kustomize", str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def named(manifests: list[Manifest], kind: str, name: str) -> Manifest:
    """Return the only manifest of a kind with a name, or whose name is this and a digest."""
    (found,) = (each for each in manifests if each["kind"] == kind and digestless(each) == name)
    return found


def digestless(manifest: Manifest) -> str:
    """Return the name of a manifest without the digest that a generator has added."""
    name: str = manifest["metadata"]["name"]
    head, _, tail = name.rpartition("-")
    return head if manifest["kind"] in ("ConfigMap", "Job") and len(tail) == 10 else name


def workloads(manifests: list[Manifest]) -> Iterator[Manifest]:
    """Yield everything that has pods of its own."""
    return (each for each in manifests if each["kind"] in ("Deployment", "StatefulSet", "Job"))


def pod(workload: Manifest) -> Manifest:
    """Return the template of a workload's pods."""
    template: Manifest = workload["spec"]["template"]
    return template


def containers(workload: Manifest) -> list[Manifest]:
    """Return all containers of a workload."""
    spec = pod(workload)["spec"]
    return [*spec.get("initContainers", []), *spec["containers"]]


def environment(workload: Manifest, manifests: list[Manifest]) -> dict[str, str]:
    """Return the variables of a workload's first container that its manifests give as text."""
    container = containers(workload)[0]
    sources = (source["configMapRef"]["name"] for source in container.get("envFrom", []) if "configMapRef" in source)
    found: dict[str, str] = {}
    for name in sources:
        (source,) = (each for each in manifests if each["kind"] == "ConfigMap" and each["metadata"]["name"] == name)
        found |= source["data"]
    return found | {each["name"]: each["value"] for each in container.get("env", []) if "value" in each}


def component(manifest: Manifest) -> str:
    """Return the label by which selectors find the pods of a workload."""
    name: str = pod(manifest)["metadata"]["labels"]["app.kubernetes.io/component"]
    return name
