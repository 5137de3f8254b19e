"""The images of `make publish`, built only for this machine: the commit determines their files and their labels."""

import json
import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from deploy.release.archive import git
from services.process.release import RELEASE
from tests.release.repository import commit, copy_to_release, make
from tests.stack.make import Board

REPOSITORY = "agent-board-test/release"
IMAGES = (f"{REPOSITORY}:{RELEASE}", f"{REPOSITORY}-postgresql:{RELEASE}")
# Every file of the board with its type, mode, owner and target, and the digest of its contents.
LIST = r"find /opt -printf '%y %m %U %p %l\n' | sort; find /opt -type f -exec sha256sum {} + | sort"


@pytest.fixture(scope="module")
def release(board: Board, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The repository of a release, whose images were built."""
    checkout = tmp_path_factory.mktemp("release") / "checkout"
    copy_to_release(checkout)
    make(checkout, "release")
    commit(checkout)
    # Another argument keeps its steps out of the cache of the stack's own image.
    trusted = f"{os.environ.get('PIP_TRUSTED_HOST', '')} release.invalid".strip()
    given = {**board.stack.configuration.environment, "PIP_TRUSTED_HOST": trusted}
    alone = ("OUTPUT=--load", f"PLATFORMS={machine()}")
    try:
        done = make(checkout, "publish", f"IMAGE={REPOSITORY}", *alone, **given)
        assert done.returncode == 0, done.stdout
        yield checkout
    finally:
        subprocess.run(["docker", "image", "rm", "--force", *IMAGES], capture_output=True, check=False)


def machine() -> str:
    """Return the platform of the engine, such as linux/amd64."""
    ask = ["docker", "version", "--format", "{{.Server.Os}}/{{.Server.Arch}}"]
    return subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()


def test_two_builds_of_the_image_have_equal_files(board: Board, release: Path) -> None:
    first, second = (files(board, image) for image in (board.stack.configuration["BOARD_IMAGE"], IMAGES[0]))
    assert first.keys() == second.keys()
    assert {line for line in first.items() if line[1] != second[line[0]]} == set()
    assert len(first) > 1000


@pytest.mark.parametrize("image", IMAGES)
def test_the_labels_name_the_release_and_its_commit(board: Board, release: Path, image: str) -> None:
    [found] = json.loads(board.stack.docker("image", "inspect", image))
    labels = {name.rpartition(".")[2]: value for name, value in found["Config"]["Labels"].items()}
    committed = datetime.fromtimestamp(int(git(release, "log", "-1", "--format=%ct")), UTC)
    assert (labels["version"], labels["revision"]) == (RELEASE, git(release, "rev-parse", "HEAD"))
    assert labels["created"] == f"{committed:%Y-%m-%dT%H:%M:%SZ}"


def files(board: Board, image: str) -> dict[str, str]:
    """What LIST prints for an image, by its lines without and with the digests."""
    run = ("run", "--rm", "--network", "none", "--entrypoint", "sh", image, "-c", LIST)
    lines = board.stack.docker(*run).splitlines()
    return {line.partition("  ")[2] or line: line for line in lines}
