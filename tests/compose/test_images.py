"""An image that is not available keeps only its own service from starting."""

from pathlib import Path

import pytest

from deploy.compose import images, recovery
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

# Has the image of the board, can pull one image, and cannot reach the registry of another.
DOCKER = """#!/bin/sh
echo "$@" >> "$0.calls"
case "$1 $2 $*" in
    "compose build"*) ;;
    "compose config"*) echo '{"services": {"api": {"image": "board"}, "postgresql": {"image": "there"},
        "grafana": {"image": "nowhere/grafana"}}}' ;;
    "image inspect"*board) echo sha256:1 ;;
    "image inspect"*) echo "No such image" >&2; exit 1 ;;
    "pull --quiet"*there*) echo there ;;
    "pull --quiet"*) echo "no route to nowhere" >&2; exit 1 ;;
esac
"""


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stack:
    docker = tmp_path / "docker"
    docker.write_text(DOCKER)
    docker.chmod(0o755)
    path = f"{tmp_path}:/usr/bin:/bin"
    monkeypatch.setenv("PATH", path)
    return Stack(Configuration({"PATH": path, "ENV_FILE": str(tmp_path / ".env")}))


def test_the_others_start_and_the_missing_one_is_named(stack: Stack, tmp_path: Path) -> None:
    wanted = images.images(stack)
    missing = images.fetch(stack, wanted)
    assert images.left_out(missing) == "Not started: grafana. docker pull failed: no route to nowhere"
    # it should not pull what is here
    calls = (tmp_path / "docker.calls").read_text()
    assert [line for line in calls.splitlines() if line.startswith("pull")] == [
        "pull --quiet there",
        "pull --quiet nowhere/grafana",
    ]


def test_without_an_image_of_the_board_itself_nothing_starts(stack: Stack) -> None:
    with pytest.raises(StackError) as refused:
        images.fetch(stack, {"grafana": "there", "valkey": "nowhere/valkey"})
    assert str(refused.value) == "The image of valkey is not available: docker pull failed: no route to nowhere"


@pytest.mark.parametrize(
    ("image", "call"),
    [
        ("agent-board:local", "compose build api"),
        ("team/agent-board:1.0.0", "compose build api"),
        ("registry.example/there", "pull --quiet registry.example/there"),
        ("localhost:5000/there", "pull --quiet localhost:5000/there"),
        (f"there@sha256:{'0' * 64}", f"pull --quiet there@sha256:{'0' * 64}"),
    ],
)
def test_an_image_of_a_registry_is_pulled_and_any_other_is_built(
    stack: Stack, tmp_path: Path, image: str, call: str
) -> None:
    stack.configuration.environment["BOARD_IMAGE"] = image
    images.obtain(stack, is_new=True)
    calls = (tmp_path / "docker.calls").read_text().splitlines()
    assert [each for each in calls if " build " in each or each.startswith("pull")][:2] == [
        call,
        "compose build postgresql",
    ]


def test_a_restore_obtains_every_image_before_it_stops_the_board(stack: Stack, tmp_path: Path) -> None:
    docker = tmp_path / "docker"
    services = """'{"services": {"api": {"image": "agent-board:local"}, "backup": {"image": "there"},
        "valkey": {"image": "nowhere/valkey"}}}'"""
    of_a_stack = f"""case "$1 $2 $*" in
    *" config --format json") echo {services}; exit ;;
    "compose version"*) echo 2.26.1; exit ;;
    *" build api") touch "$0.built"; exit ;;
    "image inspect"*:local) test -e "$0.built" && echo sha256:2; exit ;;
"""
    docker.write_text(DOCKER.replace('case "$1 $2 $*" in\n', of_a_stack))
    stack.configuration.environment.update({f"{name}_DIR": str(tmp_path / name) for name in ("SECRETS", "METRICS")})
    with pytest.raises(StackError, match="The image of valkey is not available"):
        recovery.restore(stack, "")
    calls = (tmp_path / "docker.calls").read_text().splitlines()
    assert [each.split()[-1] for each in calls if " build " in each or each.startswith("pull")] == [
        "api",
        "there",
        "nowhere/valkey",
    ]
    assert [each for each in calls if " run " in each or " stop " in each] == []
