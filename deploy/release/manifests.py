"""The board for Kubernetes with the images of a release: an overlay in one file, for a trial, and the archive's own."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from deploy.release.errors import ReleaseError

NAMES: Final = {
    "BOARD_IMAGE": "agent-board", "HAPROXY_IMAGE": "haproxy", "POSTGRES_IMAGE": "postgres",
    "VALKEY_IMAGE": "valkey/valkey",
}  # fmt: skip
"""The name in deploy/k8s of the image of each setting."""


def write_manifest(checkout: Path, folder: Path, version: str, images: Mapping[str, str]) -> None:
    """Write agent-board-VERSION-small.yaml. Raises ReleaseError."""
    if not shutil.which("kubectl"):
        raise ReleaseError("kubectl, which renders the manifest for Kubernetes, is missing.")
    rendered = render(checkout / "deploy/k8s/overlays/small", folder, images)
    (folder / f"agent-board-{version}-small.yaml").write_text(rendered, encoding="utf-8")


def with_images(component: str, images: Mapping[str, str]) -> str:
    """Return a component that names the images of the board with those of the release."""
    for setting, name in NAMES.items():
        if setting in images:
            named = f"- {replacement(name, images[setting])}\n"
            component = re.sub(rf"^- name: {name}\n  newTag: .*\n", named, component, flags=re.MULTILINE)
    return component


def render(overlay: Path, scratch: Path, images: Mapping[str, str]) -> str:
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        # Kustomize accepts only relative paths.
        lines = ["resources:", f"  - {os.path.relpath(overlay, folder)}", "images:"]
        lines += [f"  - {replacement(NAMES[name], image)}" for name, image in images.items() if name in NAMES]
        (Path(folder) / "kustomization.yaml").write_text("\n".join([*lines, ""]), encoding="utf-8")
        done = subprocess.run(["kubectl", "kustomize", folder], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ReleaseError(f"kubectl cannot render {overlay.name}: {done.stderr.strip()}")
    return done.stdout


def replacement(name: str, image: str) -> str:
    """Return the entry that gives an image another name, and its digest or else its tag."""
    tagged, _, digest = image.partition("@")
    repository, _, tag = tagged.rpartition(":") if ":" in tagged.rpartition("/")[2] else (tagged, "", "latest")
    version = f'digest: "{digest}"' if digest else f'newTag: "{tag}"'
    return f"{{ name: {name}, newName: {repository}, {version} }}"
