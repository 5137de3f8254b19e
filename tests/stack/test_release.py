"""`make release` on an engine: images whose files follow from the commit, labels, and lists of what is in them."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from deploy.environment import CHECKOUT
from deploy.release.commit import git, keep_promises
from services.process.release import RELEASE
from tests.release.repository import start_repository
from tests.stack.make import Board
from tests.stack.test_upgrade import NOT_OF_A_RELEASE

REPOSITORY = "agent-board-test/release"
IMAGES = (f"{REPOSITORY}:{RELEASE}", f"{REPOSITORY}-postgresql:{RELEASE}")
# Every file of the board with its type, mode, owner and target, and the digest of its contents.
LIST = r"find /opt -printf '%y %m %U %p %l\n' | sort; find /opt -type f -exec sha256sum {} + | sort"


class Releasing:
    """A commit that is this checkout, and the command that releases it."""

    def __init__(self, board: Board, checkout: Path) -> None:
        self.board, self.checkout = board, checkout
        self.folder = checkout / "dist" / RELEASE
        shutil.copytree(CHECKOUT, checkout, ignore=shutil.ignore_patterns(*NOT_OF_A_RELEASE))
        changes = checkout / "CHANGELOG.md"
        heading = f"## [Unreleased]\n\n## [{RELEASE}] - 2026-11-23\n"
        changes.write_text(changes.read_text().replace("## [Unreleased]\n", heading))
        keep_promises(checkout, RELEASE)
        start_repository(checkout)

    def run(self) -> str:
        # Another argument keeps its steps out of the cache of the stack's own image.
        trusted = f"{os.environ.get('PIP_TRUSTED_HOST', '')} release.invalid".strip()
        given = {**self.board.stack.configuration.environment, "IMAGE": REPOSITORY, "PIP_TRUSTED_HOST": trusted}
        done = subprocess.run(
            [sys.executable, "-m", "deploy.release", "release", RELEASE],
            cwd=self.checkout, env=given, text=True, timeout=600,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        return done.stdout

    def files(self) -> dict[str, str]:
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in self.folder.iterdir()}


@pytest.fixture(scope="module")
def release(board: Board, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Releasing]:
    """A release, made by the command."""
    release = Releasing(board, tmp_path_factory.mktemp("release") / "checkout")
    try:
        release.run()
        yield release
    finally:
        subprocess.run(["docker", "image", "rm", "--force", *IMAGES], capture_output=True, check=False)


def test_a_second_run_makes_the_same_files_and_names_everything(release: Releasing) -> None:
    made = release.files()
    said = release.run()
    assert release.files() == made
    assert sorted(made) == [
        "NOTES.md", "SHA256SUMS", f"agent-board-{RELEASE}-compose.tar.gz", f"agent-board-{RELEASE}-small.yaml",
        f"agent-board-{RELEASE}.cdx.json",
        "agent_board-0.1.0-py3-none-any.whl", "agent_board_client-0.1.0-py3-none-any.whl",
        f"release-{RELEASE}.image.cdx.json", f"release-postgresql-{RELEASE}.image.cdx.json",
    ]  # fmt: skip
    assert all(name in said for name in (*made, *IMAGES, f"v{RELEASE}"))
    check = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    checked = subprocess.run(check, cwd=release.folder, capture_output=True, text=True, check=True).stdout
    assert checked.count(": OK") == len(made) - 1


def test_two_builds_of_the_image_have_equal_files(board: Board, release: Releasing) -> None:
    first, second = (files(board, image) for image in (board.stack.configuration["BOARD_IMAGE"], IMAGES[0]))
    assert first.keys() == second.keys()
    assert {line for line in first.items() if line[1] != second[line[0]]} == set()
    assert len(first) > 1000


@pytest.mark.parametrize("image", IMAGES)
def test_the_labels_name_the_release_and_its_commit(board: Board, release: Releasing, image: str) -> None:
    [found] = json.loads(board.stack.docker("image", "inspect", image))
    labels = {name.rpartition(".")[2]: value for name, value in found["Config"]["Labels"].items()}
    committed = datetime.fromtimestamp(int(git(release.checkout, "log", "-1", "--format=%ct")), UTC)
    assert (labels["version"], labels["revision"]) == (RELEASE, git(release.checkout, "rev-parse", "HEAD"))
    assert labels["created"] == f"{committed:%Y-%m-%dT%H:%M:%SZ}"


@pytest.mark.parametrize(
    ("file", "named"),
    [("release", {"libc6", "python3"}), ("release-postgresql", {"libc6", "pgbackrest"})],
)
def test_a_bill_of_materials_names_the_packages_of_debian(release: Releasing, file: str, named: set[str]) -> None:
    bill: dict[str, Any] = json.loads((release.folder / f"{file}-{RELEASE}.image.cdx.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    assert bill["metadata"]["component"]["name"] == REPOSITORY + file.removeprefix("release")
    parts = {part["name"]: part for part in bill["components"]}
    assert named <= parts.keys()
    for name in named:
        assert parts[name]["purl"].startswith(f"pkg:deb/debian/{name}@")


def files(board: Board, image: str) -> dict[str, str]:
    """What LIST prints for an image, by its lines without and with the digests."""
    run = ("run", "--rm", "--network", "none", "--entrypoint", "sh", image, "-c", LIST)
    lines = board.stack.docker(*run).splitlines()
    return {line.partition("  ")[2] or line: line for line in lines}
