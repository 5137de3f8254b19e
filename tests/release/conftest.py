"""A repository from which releases are made."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.release.commit import git
from tests.release.repository import copy_to_release


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit, for tests that leave it as it is."""
    repository = tmp_path_factory.mktemp("release") / "checkout"
    copy_to_release(repository)
    return repository


@pytest.fixture
def checkout(repository: Path) -> Iterator[Path]:
    """The same repository for tests that change it, after which it is again as it was."""
    config, start = (repository / ".git/config").read_text(), git(repository, "rev-parse", "HEAD")
    yield repository
    (repository / ".git/config").write_text(config)
    for tag in git(repository, "tag").splitlines():
        git(repository, "tag", "-d", tag)
    git(repository, "reset", "-q", "--hard", start)
    git(repository, "clean", "-qfdx", "-e", "/.local")
