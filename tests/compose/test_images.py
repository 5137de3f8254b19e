"""The images of the board are built or pulled by their names, and before anything is stopped or started."""

from pathlib import Path

import pytest

from deploy.compose import images, recovery
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

# Has no image but the one that it has built, and cannot reach a registry.
DOCKER = """#!/bin/sh
echo "$@" >> "$0.calls"
case "$*" in
    *" config --format json") echo '{"services": {"api": {"image": "agent-board:local"}, "backup": {"image": "there"},
        "valkey": {"image": "nowhere/valkey"}}}' ;;
    "compose version"*) echo 2.26.1 ;;
    *" build api") touch "$0.built" ;;
    "image inspect"*:local) test -e "$0.built" && echo sha256:1 ;;
    "image inspect"*) exit 1 ;;
    *" pull backup valkey") exit 1 ;;
esac
"""


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stack:
    docker = tmp_path / "docker"
    docker.write_text(DOCKER)
    docker.chmod(0o755)
    path = f"{tmp_path}:/usr/bin:/bin"
    monkeypatch.setenv("PATH", path)
    folders = {f"{name}_DIR": str(tmp_path / name) for name in ("SECRETS", "METRICS")}
    return Stack(Configuration({"PATH": path, "ENV_FILE": str(tmp_path / ".env"), **folders}))


def calls(folder: Path, *words: str) -> list[str]:
    """Return the ends of the calls with one of these words."""
    found = [line.split() for line in (folder / "docker.calls").read_text().splitlines()]
    return [" ".join(each[-2:]) for each in found if {*words} & {*each}]


@pytest.mark.parametrize(
    ("image", "call"),
    [
        ("agent-board:local", "build api"),
        ("team/agent-board:1.0.0", "build api"),
        ("registry.example/there", "pull api"),
        ("localhost:5000/there", "pull api"),
        (f"there@sha256:{'0' * 64}", "pull api"),
    ],
)
def test_an_image_of_a_registry_is_pulled_and_any_other_is_built(
    stack: Stack, tmp_path: Path, image: str, call: str
) -> None:
    stack.configuration.environment["BOARD_IMAGE"] = image
    images.provide(stack, "api", is_new=True)
    assert calls(tmp_path, "build", "pull") == [call]


def test_a_restore_obtains_every_image_before_it_stops_the_board(stack: Stack, tmp_path: Path) -> None:
    with pytest.raises(StackError, match="docker compose pull failed"):
        recovery.restore(stack, "")
    assert calls(tmp_path, "build", "pull") == ["build api", "backup valkey"]
    assert calls(tmp_path, "run", "stop") == []
