"""A repository from which a test makes a release."""

import shutil
from pathlib import Path

from deploy.environment import CHECKOUT
from deploy.release.commit import git, keep_promises

CHANGES = """# Changelog

## [Unreleased]

## [0.1.0] - 2026-11-23

### Added

- [Votes](docs/interface.md).

### Upgrading

- Run make upgrade.

## [0.0.1] - 2026-01-01

- Threads.
"""
PARTS = ("pyproject.toml", "uv.lock", "clients", "deploy", "docs", "services", ".gitignore", "LICENSE", "README.md")


def copy_to_release(checkout: Path) -> None:
    """Copy what a release of version 0.1.0 is made of into a repository with one commit."""
    for name in PARTS:
        source, copy = CHECKOUT / name, checkout / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__", ".env"))
        else:
            shutil.copy(source, copy)
    (checkout / "CHANGELOG.md").write_text(CHANGES)
    keep_promises(checkout, "0.1.0")
    start_repository(checkout)


def start_repository(checkout: Path) -> None:
    """Commit all files of this folder. It uses the installed programs of the checkout under test."""
    (checkout / ".local").symlink_to(CHECKOUT / ".local")
    with (checkout / ".gitignore").open("a") as ignored:
        ignored.write("/.local\n")
    for words in (
        "init -q",
        "config user.name Olga",
        "config user.email olga@example.com",
        "add .",
        "commit -qm Start",
    ):
        git(checkout, *words.split())
