"""The files of a release: two wheels, a bill of materials, and checksums.

The same commit gives the same bytes.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from deploy.release.errors import ReleaseError

CHECKSUMS = "SHA256SUMS"


def make_wheels(checkout: Path, folder: Path) -> None:
    """Build the wheels of the client and of the board with backends that date every file alike.

    The board's has the client's, which it serves. Raises ReleaseError.
    """
    build_wheel(checkout, folder, "clients/python")
    served = checkout / "services/api/documents/client"
    shutil.rmtree(served, ignore_errors=True)
    shutil.copytree(folder, served)
    build_wheel(checkout, folder, ".")


def build_wheel(checkout: Path, folder: Path, project: str) -> None:
    installed = ("--no-build-isolation", "--python", sys.executable)
    uv(checkout, "build", "--wheel", "--offline", *installed, "--out-dir", str(folder), project)
    (folder / ".gitignore").unlink(missing_ok=True)


def make_bill_of_materials(checkout: Path, file: Path, seconds: int) -> None:
    """Write what the board is made of in CycloneDX 1.5, as uv.lock declares it, with hashes. Raises ReleaseError."""
    uv(
        checkout,
        "export",
        "--frozen",
        "--no-dev",
        "--all-extras",
        "--format",
        "cyclonedx1.5",
        "--output-file",
        str(file),
    )
    bill = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(dated(bill, seconds), indent=2) + "\n", encoding="utf-8")


def write_image_bill(file: Path, image: str, components: list[dict[str, Any]], seconds: int) -> None:
    """Write which packages of its base an image has, in CycloneDX 1.5."""
    name, _, version = image.rpartition(":")
    subject = {"type": "container", "name": name, "version": version}
    bill = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": "", "version": 1,
        "metadata": {"component": subject}, "components": components,
    }  # fmt: skip
    file.write_text(json.dumps(dated(bill, seconds), indent=2) + "\n", encoding="utf-8")


def moment(seconds: int) -> str:
    """Return a time in seconds since 1970 as text (RFC 3339)."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def dated(bill: dict[str, Any], seconds: int) -> dict[str, Any]:
    """Return the bill with the time of the commit, and a serial number that follows from its contents."""
    bill = {**bill, "metadata": {**bill["metadata"], "timestamp": moment(seconds)}}
    del bill["serialNumber"]
    serial = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(bill, sort_keys=True))
    return {
        "bomFormat": bill.pop("bomFormat"),
        "specVersion": bill.pop("specVersion"),
        "serialNumber": serial.urn,
        **bill,
    }


def write_checksums(folder: Path) -> None:
    """Write SHA256SUMS, for `sha256sum --check`."""
    files = sorted(path for path in folder.iterdir() if path.name != CHECKSUMS)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")


def uv(checkout: Path, *arguments: str) -> None:
    command = [str(checkout / ".local/uv/bin/uv"), *arguments, "--quiet"]
    # The current folder selects the project, so its environment must not.
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ReleaseError(f"uv {arguments[0]} failed: {done.stderr.strip()}")
