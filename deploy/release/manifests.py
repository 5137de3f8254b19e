"""The board for Kubernetes with the image of a release: an overlay in one file, for a trial, and the archive's own."""

import os
import re
import subprocess
import tempfile
from pathlib import Path


def write_manifest(checkout: Path, folder: Path, version: str, image: str) -> None:
    """Write agent-board-VERSION-small.yaml. Raises OSError without kubectl, and CalledProcessError."""
    rendered = render(checkout / "deploy/k8s/overlays/small", folder, image)
    (folder / f"agent-board-{version}-small.yaml").write_text(rendered, encoding="utf-8")


def with_image(component: str, image: str) -> str:
    """Return the component that names the board's image with that of the release."""
    return re.sub(r"^- name: agent-board\n  newTag: .*\n", f"- {replacement(image)}\n", component, flags=re.MULTILINE)


def render(overlay: Path, scratch: Path, image: str) -> str:
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        # Kustomize accepts only relative paths.
        lines = ["resources:", f"  - {os.path.relpath(overlay, folder)}", "images:", f"  - {replacement(image)}"]
        (Path(folder) / "kustomization.yaml").write_text("\n".join([*lines, ""]), encoding="utf-8")
        return subprocess.run(["kubectl", "kustomize", folder], stdout=subprocess.PIPE, text=True, check=True).stdout


def replacement(image: str) -> str:
    """Return the entry that gives the board's image another name, and its digest or else its tag."""
    tagged, _, digest = image.partition("@")
    repository, _, tag = tagged.rpartition(":")
    version = f'digest: "{digest}"' if digest else f'newTag: "{tag}"'
    return f"{{ name: agent-board, newName: {repository}, {version} }}"
