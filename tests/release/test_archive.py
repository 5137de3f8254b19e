"""The archive of a release is the stack without a checkout: it builds nothing and needs only Python and the engine."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from deploy.compose.__main__ import COMMANDS
from deploy.compose.configuration import DIRECTORY, LINE, defaults
from deploy.compose.spoken import COMMANDS as NAMES
from deploy.compose.spoken import SPOKEN, in_archive
from deploy.environment import CHECKOUT
from deploy.release import archive
from deploy.release.archive import git
from tests.compose.test_example import VARIABLE
from tests.k8s.rendering import containers, kustomize, named, workloads

DIGEST = f"@sha256:{'0' * 64}"
IMAGES = {
    "BOARD_IMAGE": f"registry.example/agent-board:0.1.0{DIGEST}",
    "DATABASE_IMAGE": f"registry.example/agent-board-postgresql:0.1.0{DIGEST}",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked archive of a release of this checkout."""
    folder = tmp_path_factory.mktemp("release")
    archive.write_archive(CHECKOUT, folder, "0.1.0", IMAGES)
    # Debian 12's Python cannot unpack it without a warning of later ones
    subprocess.run(["tar", "-xzf", folder / "agent-board-0.1.0-compose.tar.gz", "-C", folder], check=True)
    return folder / "agent-board-0.1.0"


def composed(folder: Path) -> dict[str, dict[str, dict[str, object]]]:
    return {path.name: yaml.safe_load(in_archive(path.read_text()))["services"] for path in folder.glob("*.yaml")}


def test_its_stack_is_that_of_the_checkout_without_builds_and_with_the_images_of_the_release(root: Path) -> None:
    found, expected = composed(root / "deploy/compose"), composed(DIRECTORY)
    for service in (service for services in expected.values() for service in services.values()):
        service.pop("build", None)
        variable = str(service.get("image", ""))[2:].partition(":-")[0]
        if variable in IMAGES:
            service["image"] = f"${{{variable}:-{IMAGES[variable]}}}"
    assert found == expected
    assert str(found).count(DIGEST) >= 3


def test_every_file_that_the_stack_mounts_is_there(root: Path) -> None:
    volumes = re.findall(r"^ +- (\.[\w./-]+):/", (DIRECTORY / "compose.yaml").read_text(), re.MULTILINE)
    assert len(volumes) >= 7
    for volume in volumes:
        source, copy = (DIRECTORY / volume).resolve(), (root / "deploy/compose" / volume).resolve()
        listed = git(source.parent, "ls-files", source.name).splitlines()
        assert [path for path in listed if not (copy.parent / path).exists()] == []


def test_its_settings_are_those_that_its_stack_reads(root: Path) -> None:
    example = (root / "deploy/compose/.env.example").read_text()
    shown = {line[2]: line[3] for line in map(LINE.fullmatch, example.splitlines()) if line}
    texts = "".join(path.read_text() for path in (root / "deploy/compose").glob("*.yaml"))
    read = {name for name, _, _ in VARIABLE.findall(re.sub(r"^\s*#.*$", "", texts, flags=re.MULTILINE))}
    assert read <= shown.keys() == defaults().keys()
    assert {name: shown[name] for name in IMAGES} == IMAGES


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


def board(root: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run a command of the archive without any package, and without an engine."""
    command = [sys.executable, "-S", str(root / "board"), *words]
    return subprocess.run(command, cwd=root, env={"PATH": str(root)}, capture_output=True, text=True, check=False)


def test_its_commands_need_only_the_standard_library_and_name_themselves(root: Path) -> None:
    assert (*COMMANDS,) == NAMES
    shown = board(root)
    explained = "deploy/compose/README.md explains it.\n"
    assert (shown.returncode, shown.stderr) == (2, f"usage: {{{','.join(NAMES)}}}\n{explained}")
    assert (root / explained.split()[0]).exists()
    refused = board(root, "up")
    assert refused.returncode == 1
    assert refused.stderr.startswith("./board up: No container engine is available: ")
    assert board(root, "roll").stderr == (
        "./board roll: deploy/compose/.env is missing: put your copy back, or run ./board secrets for a new one.\n"
    )
    assert not list(root.rglob("__pycache__"))


def test_its_documents_name_its_own_commands(root: Path) -> None:
    texts = {path: path.read_text() for path in root.rglob("*") if path.suffix in (".md", ".yaml", ".example")}
    assert [path for path, text in texts.items() if SPOKEN.search(text) and path.name != "CHANGELOG.md"] == []
    assert "./board up" in texts[root / "deploy/compose/README.md"]


def test_its_documents_link_only_to_what_it_has(root: Path) -> None:
    documents = list(root.rglob("*.md"))
    links = [(path, link[2]) for path in documents for link in archive.LINK.finditer(path.read_text())]
    assert [(path, link) for path, link in links if not (path.parent / link).exists()] == []
    assert (root / "docs/one-machine.md", "../deploy/compose/README.md") in links
    assert "([measured](" not in (text := (root / "docs/one-machine.md").read_text())
    assert "(measured)" in text
