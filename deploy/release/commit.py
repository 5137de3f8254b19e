"""The commit that is released: its version, its kept answers, its time and its tag."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from deploy.release.errors import ReleaseError


def check_version(checkout: Path, version: str) -> None:
    """Raise ReleaseError unless pyproject.toml and uv.lock declare this version."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ReleaseError("Give the version as three numbers, as in VERSION=0.2.0")
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    packages = tomllib.loads((checkout / "uv.lock").read_text(encoding="utf-8"))["package"]
    locked = next(package.get("version") for package in packages if package["name"] == project["name"])
    for name, declared in (("pyproject.toml", project["version"]), ("uv.lock", locked)):
        if declared != version:
            raise ReleaseError(f"{name} declares the version {declared}, not {version}.")


def keep_promises(checkout: Path, version: str) -> None:
    """Write the answers and SQL functions that later releases must serve, a file of the commit.

    Raises ReleaseError if this one does not serve the release before.
    """
    command = [sys.executable, "-m", "clients.generator.keeping", version]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ReleaseError(done.stderr.strip())


def check_clean(checkout: Path) -> None:
    """Raise ReleaseError if a file differs from the commit, or is neither committed nor ignored."""
    if changed := git(checkout, "status", "--porcelain"):
        raise ReleaseError(f"Commit or remove these files first:\n{changed}")


def check_tag(checkout: Path, tag: str) -> bool:
    """Return whether this commit has the tag. Raises ReleaseError if another commit has it."""
    if not git(checkout, "tag", "--list", tag):
        return False
    if revision(checkout, f"{tag}^{{commit}}") != revision(checkout):
        raise ReleaseError(f"The tag {tag} names another commit; a released version never changes.")
    return True


def revision(checkout: Path, name: str = "HEAD") -> str:
    """Return the full id of a commit."""
    return git(checkout, "rev-parse", name)


def seconds(checkout: Path) -> int:
    """Return the time of the commit, in seconds since 1970: the time of everything that is made from it."""
    return int(git(checkout, "log", "-1", "--format=%ct"))


def tag(checkout: Path, name: str, message: str, *, signed: bool) -> None:
    """Create an annotated or signed tag. Raises ReleaseError, for example if git does not know who you are."""
    kind = "--sign" if signed else "--annotate"
    git(checkout, "tag", kind, "--cleanup=verbatim", name, "--message", message)


def git(checkout: Path, *arguments: str) -> str:
    """Run git and return its output. Raises ReleaseError."""
    done = subprocess.run(["git", *arguments], cwd=checkout, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ReleaseError(f"git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout.strip()
