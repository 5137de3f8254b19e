"""The board for Kubernetes in one file: overlays as Kustomize renders them, with the images of the release."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from deploy.release.errors import ReleaseError

OVERLAYS: Final = {"small": "small", "standard": "production"}
"""The overlay of each file."""
NAMES: Final = {
    "BOARD_IMAGE": "agent-board", "HAPROXY_IMAGE": "haproxy", "POSTGRES_IMAGE": "postgres",
    "VALKEY_IMAGE": "valkey/valkey",
}  # fmt: skip
"""The name in deploy/k8s of the image of each setting."""


def write_manifests(checkout: Path, folder: Path, version: str, images: Mapping[str, str]) -> None:
    """Write agent-board-VERSION-small.yaml and -standard.yaml. Raises ReleaseError."""
    if not shutil.which("kubectl"):
        raise ReleaseError("kubectl is missing, which renders the manifests for Kubernetes.")
    for name, overlay in OVERLAYS.items():
        rendered = render(checkout / "deploy/k8s/overlays" / overlay, folder, images)
        (folder / f"agent-board-{version}-{name}.yaml").write_text(rendered, encoding="utf-8")


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
