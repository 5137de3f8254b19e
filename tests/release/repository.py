"""A repository from which a test makes a release."""

from pathlib import Path

from deploy.environment import CHECKOUT
from deploy.release.commit import git


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
