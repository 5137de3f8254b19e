"""The repository is ready for a release: one version, a license that the package includes, a changelog."""

import hashlib
import re
import tomllib
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).parents[2]
# the digest of the text that the Apache Software Foundation publishes
LICENSE_SHA256 = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"


def toml(name: str) -> dict[str, Any]:
    return tomllib.loads((CHECKOUT / name).read_text())


def test_the_package_and_the_lock_have_the_declared_version() -> None:
    project = toml("pyproject.toml")["project"]
    locked = {package["name"]: package.get("version") for package in toml("uv.lock")["package"]}
    assert locked[project["name"]] == project["version"]
    assert distribution(project["name"]).version == project["version"]


def test_the_license_is_the_declared_one_and_part_of_the_package() -> None:
    project = toml("pyproject.toml")["project"]
    assert project["license"] == "Apache-2.0"
    assert project["license-files"] == ["LICENSE"]
    assert hashlib.sha256((CHECKOUT / "LICENSE").read_bytes()).hexdigest() == LICENSE_SHA256
    # the license should be in the build context of the image, which builds the package
    assert "!LICENSE" in (CHECKOUT / ".dockerignore").read_text().splitlines()
    assert re.search(r"^COPY LICENSE ", (CHECKOUT / "Dockerfile").read_text(), re.MULTILINE)
