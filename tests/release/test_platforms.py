"""uv.lock has wheels of every package for the platforms of the images and of the tests: no machine needs a compiler.

It names no file of our own client, whose wheel the image builds, and no index but the public one.
"""

import tomllib
from itertools import product

import pytest
import yaml
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import parse_wheel_filename

from deploy.environment import CHECKOUT

LOCKED = {package["name"]: package for package in tomllib.loads((CHECKOUT / "uv.lock").read_text())["package"]}
CHECKED = yaml.safe_load((CHECKOUT / ".github/workflows/check.yml").read_text())["jobs"]["fast-tests"]["strategy"]
TESTED = {tuple(map(int, each["python"].split("."))) for each in CHECKED["matrix"]["include"]}
GLIBC = range(17, 42)  # of manylinux wheels: glibc 2.17 to 2.41, which Debian 13 has

OURS = {"agent-board", "agent-board-client"}


def tags(machine: str, python: tuple[int, int]) -> set[Tag]:
    """The tags of wheels that an interpreter on Linux with glibc can install."""
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in GLIBC]
    platforms += [f"{family}_{machine}" for family in ("manylinux1", "manylinux2014", "linux")]
    return {*cpython_tags(python, platforms=platforms), *compatible_tags(python, platforms=platforms)}


def test_everybody_can_read_its_addresses() -> None:
    """Another index of a developer would have replaced all of them."""
    indexes = {each["source"]["registry"] for each in LOCKED.values() if "registry" in each["source"]}
    assert indexes == {"https://pypi.org/simple"}
    files = [file for each in LOCKED.values() for file in (*each.get("wheels", ()), *filter(None, [each.get("sdist")]))]
    assert {file["url"].split("/")[2] for file in files} == {"files.pythonhosted.org"}


@pytest.mark.parametrize(
    ("machine", "python"),
    sorted({*product(("x86_64", "aarch64"), [(3, 11), (3, 13)]), *product(("x86_64",), TESTED)}),
)
def test_every_package_has_a_wheel(machine: str, python: tuple[int, int]) -> None:
    installable = tags(machine, python)
    without = [
        name
        for name in sorted(LOCKED.keys() - OURS)
        if not any(
            installable & parse_wheel_filename(wheel["url"].rsplit("/", 1)[-1])[3]
            for wheel in LOCKED[name].get("wheels", [])
        )
    ]
    assert without == []
