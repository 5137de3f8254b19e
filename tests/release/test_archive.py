"""The archive of a release is the commit with the images of the release: it pulls them, and needs no package."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from deploy.compose.__main__ import COMMANDS
from deploy.compose.configuration import LINE
from deploy.compose.images import is_published
from deploy.environment import CHECKOUT
from deploy.release import archive
from tests.k8s.rendering import containers, kustomize, named, workloads

DIGEST = f"@sha256:{'0' * 64}"
IMAGES = {
    "BOARD_IMAGE": f"registry.example/agent-board:0.1.0{DIGEST}",
    "DATABASE_IMAGE": f"registry.example/agent-board-postgresql:0.1.0{DIGEST}",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked archive of a release of this checkout's commit."""
    folder = tmp_path_factory.mktemp("release")
    archive.write_archive(CHECKOUT, folder, "0.1.0", IMAGES)
    # Debian 12's Python cannot unpack it without a warning of later ones
    subprocess.run(["tar", "-xzf", folder / "agent-board-0.1.0-compose.tar.gz", "-C", folder], check=True)
    return folder / "agent-board-0.1.0"


def test_its_stack_runs_the_images_of_the_release_and_builds_none(root: Path) -> None:
    folder = root / "deploy/compose"
    texts = "".join(path.read_text() for path in folder.glob("*.yaml"))
    assert set(re.findall(r"\$\{(?:BOARD|DATABASE)_IMAGE:-([^}]+)\}", texts)) == {*IMAGES.values()}
    example = (folder / ".env.example").read_text()
    shown = {line[2]: line[3] for line in map(LINE.fullmatch, example.splitlines()) if line}
    assert {name: shown[name] for name in IMAGES} == IMAGES
    assert all(map(is_published, IMAGES.values()))
    assert (folder / "pgbackrest/backup-now").stat().st_mode & 0o111


def test_an_overlay_next_to_it_changes_the_settings_of_a_board_on_kubernetes(root: Path) -> None:
    page = (root / "deploy/k8s/README.md").read_text().partition("## Install")[2]
    [shown] = re.findall(r"```yaml\n(.+?)```", page, re.DOTALL)[:1]
    overlay = root.with_name("overlay")
    overlay.mkdir()
    (overlay / "kustomization.yaml").write_text(shown.replace("board.example", "other.example"))
    rendered = list(yaml.safe_load_all(kustomize(overlay)))
    settings = named(rendered, "ConfigMap", "settings")
    assert settings["data"]["BASE_URL"] == "https://other.example"
    assert all(settings["metadata"]["name"] in str(named(rendered, "Deployment", role)) for role in ("api", "haproxy"))
    images = {each["image"] for workload in workloads(rendered) for each in containers(workload)}
    assert f"registry.example/agent-board{DIGEST}" in images
    assert not any(image.startswith("agent-board") for image in images)


def test_an_image_that_is_not_pushed_yet_is_named_by_its_tag() -> None:
    named = archive.with_image("- name: agent-board\n  newTag: local\n", "registry.example:5000/agent-board:0.1.0")
    assert named == '- { name: agent-board, newName: registry.example:5000/agent-board, newTag: "0.1.0" }\n'


def board(root: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run a command of the archive without any package, and without an engine."""
    command = [sys.executable, "-S", "-m", "deploy.compose", *words]
    return subprocess.run(command, cwd=root, env={"PATH": str(root)}, capture_output=True, text=True, check=False)


def test_its_commands_need_only_the_standard_library(root: Path) -> None:
    shown = board(root)
    assert (shown.returncode, shown.stderr) == (2, f"usage: {{{','.join(COMMANDS)}}}; restore takes a time.\n")
    refused = board(root, "up")
    assert refused.returncode == 1
    assert refused.stderr.startswith("make up: No container engine is available: ")
