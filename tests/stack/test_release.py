"""`make release` builds an image whose files follow from the commit, and whose labels name the release."""

import json
import os
from collections.abc import Iterator

import pytest

from deploy.compose.stack import Stack
from deploy.release import image
from tests.stack.make import Board

VERSION, REVISION, MOMENT = "9.9.9", "0123456789abcdef", 1_700_000_000
# Every file of the board with its type, mode, owner and target, and the digest of its contents.
LIST = r"find /opt -printf '%y %m %U %p %l\n' | sort; find /opt -type f -exec sha256sum {} + | sort"


@pytest.fixture
def release(board: Board, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stack]:
    """The stack with an image that is built a second time."""
    for name, value in board.stack.configuration.environment.items():
        monkeypatch.setenv(name, value)
    # Another argument keeps its steps out of the cache of the stack's own image, which make up builds again later.
    monkeypatch.setenv("PIP_TRUSTED_HOST", f"{os.environ.get('PIP_TRUSTED_HOST', '')} release.invalid".strip())
    name = f"{board.stack.configuration['BOARD_IMAGE']}-release"
    release = image.stack(name, VERSION, REVISION, MOMENT)
    release.compose("build", "--quiet", "api")
    yield release
    release.docker("image", "rm", name)


def test_two_builds_of_the_image_have_equal_files(board: Board, release: Stack) -> None:
    first, second = (files(stack) for stack in (board.stack, release))
    assert first.keys() == second.keys()
    assert {line for line in first.items() if line[1] != second[line[0]]} == set()
    assert len(first) > 1000
    [found] = json.loads(release.docker("image", "inspect", release.configuration["BOARD_IMAGE"]))
    labels = {name.rpartition(".")[2]: value for name, value in found["Config"]["Labels"].items()}
    assert (labels["version"], labels["revision"], labels["created"]) == (VERSION, REVISION, "2023-11-14T22:13:20Z")


def files(stack: Stack) -> dict[str, str]:
    """What LIST prints for the image of a stack, by its lines without and with the digests."""
    run = ("run", "--rm", "--network", "none", "--entrypoint", "sh", stack.configuration["BOARD_IMAGE"], "-c", LIST)
    lines = stack.docker(*run).splitlines()
    return {line.partition("  ")[2] or line: line for line in lines}
