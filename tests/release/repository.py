"""A repository from which a test makes a release: this checkout as one commit, with a section of the changelog."""

import os
import shutil
import subprocess
from pathlib import Path

from deploy.environment import CHECKOUT
from deploy.release.archive import git
from services.process.release import RELEASE

NOT_COPIED = (".git", ".venv", ".local", "__pycache__", ".*_cache", "secrets", "backups", "dist", ".env")


def copy_to_release(checkout: Path) -> None:
    """Make the repository in a new folder. It uses the installed programs of the checkout under test."""
    shutil.copytree(CHECKOUT, checkout, ignore=shutil.ignore_patterns(*NOT_COPIED))
    changes = checkout / "CHANGELOG.md"
    heading = f"## [Unreleased]\n\n## [{RELEASE}] - 2026-11-23\n"
    changes.write_text(changes.read_text().replace("## [Unreleased]\n", heading))
    for name in (".venv", ".local"):
        (checkout / name).symlink_to(CHECKOUT / name)
    with (checkout / ".gitignore").open("a") as ignored:
        ignored.write("/.local\n")
    git(checkout, "init", "-q")
    commit(checkout)


def commit(checkout: Path) -> None:
    git(checkout, "add", ".")
    git(checkout, "-c", "user.name=Olga", "-c", "user.email=olga@example.com", "commit", "-qm", "Release")


def make(checkout: Path, target: str, *variables: str, **env: str) -> "subprocess.CompletedProcess[str]":
    """Run a target of make for the release; return its exit status and its output."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    command = ["make", "--assume-old=.venv/ready", target, f"VERSION={RELEASE}", *variables]
    return subprocess.run(
        command, cwd=checkout, env={**outside, **env}, text=True, check=False, timeout=600,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
