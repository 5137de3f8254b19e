"""`./board upgrade VERSION` exchanges the files of a release for those of another one, or changes nothing."""

import contextlib
import gzip
import hashlib
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import tarfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deploy.compose import downloads, upgrading
from deploy.compose import release as records
from deploy.compose.__main__ import interrupt
from deploy.compose.configuration import Configuration
from deploy.compose.downloads import File, archive_name
from deploy.compose.errors import StackError
from deploy.compose.release import Release, here
from deploy.compose.stack import Stack

IMAGES = {"BOARD_IMAGE": "registry.example/board:{}", "DATABASE_IMAGE": "registry.example/database:{}"}
FIRST = {"compose.yaml": "one", "haproxy.cfg": "as it is", "gone.yaml": "old", "kept.yaml": "as it is"}
SECOND = {"compose.yaml": "two", "haproxy.cfg": "as it will be", "new.yaml": "new", "kept.yaml": "as it is"}
BOARD = "import pathlib, sys\npathlib.Path(__file__).with_name('ran').write_text(' '.join(sys.argv[1:]))\n"
# Answers as an engine whose stack has migrated to the number in the file `schema`.
DOCKER = """#!/bin/sh
echo "$@" >> "$0.calls"
case "$*" in
    "version"*) echo 28.0 ;;
    "compose version"*) echo 2.26.0 ;;
    *"config --format json"*) echo '{"name": "test", "services": {"postgresql": {"image": "database"}}}' ;;
    *psql*dbname=agent_board*) cat "$(dirname "$0")/schema" ;;
    "pull"*missing*) echo "manifest unknown" >&2; exit 1 ;;
    "image inspect"*) exit 1 ;;
esac
"""


def record_of(version: str, before: str, files: dict[str, str], signer: str = "", registry: str = "") -> Release:
    digests = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()}
    images = {name: registry + image.format(version) for name, image in IMAGES.items()}
    return Release(version, before, f"{version.split('.')[1]}_migration", images, digests, signer)


def release_in(folder: Path, release: Release, files: dict[str, str]) -> None:
    """Write the archive of a release and its checksums into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    archive = folder / archive_name(release.version)
    with tarfile.open(archive, "w:gz") as packed:
        texts = {**{path: text.encode() for path, text in files.items()}, "release.json": downloads.record(release)}
        for path, content in texts.items():
            member = tarfile.TarInfo(f"agent-board-{release.version}/{path}")
            member.size = len(content)
            packed.addfile(member, io.BytesIO(content))
    (folder / "SHA256SUMS").write_text(f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive.name}\n")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The first release, unpacked, and the second one in the folder `releases`."""
    root = tmp_path / "agent-board"
    first, second = {**FIRST, "board": BOARD}, {**SECOND, "board": BOARD}
    for path, text in first.items():
        upgrading.write(root / path, File(text.encode(), 0o644))
    upgrading.write(root / "release.json", File(downloads.record(record_of("0.1.0", "", first)), 0o644))
    release_in(tmp_path / "releases/0.2.0", record_of("0.2.0", "0.1.0", second), second)
    monkeypatch.setattr(records, "ROOT", root)
    return root


@pytest.fixture
def stack(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Stack:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "docker").write_text(DOCKER)
    (programs / "docker").chmod(0o755)
    (programs / "schema").write_text("2\n")
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    (tmp_path / ".env").write_text(f"RELEASES={tmp_path}/releases/{{version}}\n")
    return Stack(Configuration({"PATH": f"{programs}:/usr/bin:/bin", "ENV_FILE": str(tmp_path / ".env")}))


@pytest.fixture
def terminable() -> Iterator[None]:
    """`kill` and Ctrl-C end commands as they do in `./board`."""
    before = {each: signal.signal(each, interrupt) for each in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)}
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


def contents(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


def outside_merging(root: Path) -> dict[str, str]:
    return {path: text for path, text in contents(root).items() if not path.startswith("merge-")}


def refusal(stack: Stack, root: Path, wanted: str) -> str:
    """Return why an upgrade is refused; it should change nothing but the folder in which files are merged."""
    before = outside_merging(root)
    with pytest.raises(StackError) as refused:
        upgrading.upgrade(stack, wanted)
    assert outside_merging(root) == before
    return str(refused.value)


def test_the_files_become_those_of_the_next_release_which_then_migrates_and_rolls(stack: Stack, root: Path) -> None:
    (root / "kept.yaml").write_text("changed by the operator")
    (root / "own.yaml").write_text("of the operator")
    said = upgrading.upgrade(stack, "0.2.0")
    assert said == "0.2.0 runs. ./board upgrade 0.1.0 leads back as long as no later release ran here."
    found = contents(root)
    assert found.pop("ran") == "upgrade"
    release = records.parsed(found.pop("release.json").encode())
    assert release == record_of("0.2.0", "0.1.0", {**SECOND, "board": BOARD})
    assert found == {
        **SECOND, "board": BOARD, "kept.yaml": "changed by the operator", "own.yaml": "of the operator",
    }  # fmt: skip


def test_a_file_that_both_have_changed_is_merged_by_the_operator_first(stack: Stack, root: Path) -> None:
    (root / "haproxy.cfg").write_text("as the operator wants it")
    folder = root / "merge-0.2.0"
    assert refusal(stack, root, "0.2.0") == (
        "You have changed haproxy.cfg, and so has 0.2.0. Nothing was changed. Merge your changes into the release's "
        f"files in {folder}, and run the command again. To drop yours, copy the release's over them."
    )
    assert contents(folder) == {"haproxy.cfg": "as it will be"}
    assert refusal(stack, root, "0.2.0").startswith("You have changed haproxy.cfg")
    (folder / "haproxy.cfg").write_text("both")
    assert upgrading.upgrade(stack, "0.2.0").endswith("from before the merge are haproxy.cfg.before-0.2.0.")
    assert (root / "haproxy.cfg").read_text() == "both"
    assert (root / "haproxy.cfg.before-0.2.0").read_text() == "as the operator wants it"
    assert not folder.exists()


def test_an_exchange_that_is_repeated_keeps_what_it_kept(stack: Stack, root: Path) -> None:
    kept, merged = root / "haproxy.cfg.before-0.2.0", root / "merge-0.2.0/haproxy.cfg"
    for once in ("of the operator", "both", "edited later"):
        # As if it was interrupted before it wrote the record.
        upgrading.write(root / "release.json", File(downloads.record(record_of("0.1.0", "", FIRST)), 0o644))
        merged.parent.mkdir(exist_ok=True)
        merged.write_text("both")
        (root / "haproxy.cfg").write_text(once)
        upgrading.upgrade(stack, "0.2.0")
        assert ((root / "haproxy.cfg").read_text(), kept.read_text()) == ("both", "of the operator")
    assert contents(root)["haproxy.cfg.before-0.2.0.2"] == "edited later"


@pytest.mark.usefixtures("terminable")
@pytest.mark.parametrize("step", ["write_bytes", "replace", "unlink"])
def test_an_interruption_finds_all_files_exchanged_or_none(
    stack: Stack, root: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    untouched, before, whole = getattr(Path, step), contents(root), {**SECOND, "board": BOARD}

    def killed(path: Path, *arguments: Any, **named: Any) -> Any:
        done = untouched(path, *arguments, **named)
        os.kill(os.getpid(), signal.SIGTERM)
        return done

    monkeypatch.setattr(Path, step, killed)
    with contextlib.suppress(KeyboardInterrupt):
        upgrading.upgrade(stack, "0.2.0")
    found = {path: text for path, text in contents(root).items() if not path.endswith(".unfinished")}
    found.pop("ran", "")
    assert found in (before, {**whole, "release.json": downloads.record(record_of("0.2.0", "0.1.0", whole)).decode()})


def test_the_archive_itself_can_be_named(stack: Stack, root: Path, tmp_path: Path) -> None:
    upgrading.upgrade(stack, str(tmp_path / "releases/0.2.0" / archive_name("0.2.0")))
    assert (root / "compose.yaml").read_text() == "two"


def test_the_images_must_be_there_before_a_file_changes(stack: Stack, root: Path, tmp_path: Path) -> None:
    release_in(tmp_path / "releases/0.2.0", record_of("0.2.0", "0.1.0", SECOND, registry="missing."), SECOND)
    assert "The image of api is not available: docker pull failed: manifest unknown" in refusal(stack, root, "0.2.0")


@pytest.mark.parametrize(
    ("schema", "before", "refused"),
    [
        ("2", "0.1.0", ""),
        ("3", "0.1.0", "0.1.0 cannot serve this database: each schema serves only its"),
        ("2", "0.1.1", "0.1.0 cannot serve this database: each schema serves only its"),
        ("", "0.1.0", "PostgreSQL answered '"),
        ("WARNING: no number", "0.1.0", "PostgreSQL answered '"),
    ],
)
def test_only_the_release_before_can_return_and_only_to_the_schema_of_this_one(
    stack: Stack, root: Path, tmp_path: Path, schema: str, before: str, refused: str
) -> None:
    (tmp_path / "programs/schema").write_text(schema)
    first = {**FIRST, "board": BOARD}
    release_in(tmp_path / "releases/0.1.0", record_of("0.1.0", "", first), first)
    now = record_of("0.2.0", before, contents(root))
    upgrading.write(root / "release.json", File(downloads.record(now), 0o644))
    if not refused:
        assert upgrading.upgrade(stack, "0.1.0") == "0.1.0 runs."
        assert (root / "ran").read_text() == "roll"
        assert here() == record_of("0.1.0", "", first)
    else:
        assert refusal(stack, root, "0.1.0").startswith(refused)


def test_a_way_back_that_is_repeated_still_is_one(stack: Stack, root: Path, tmp_path: Path) -> None:
    """Migrating would replace the functions that processes of the later release still call."""
    first = {**FIRST, "board": f"{BOARD}sys.exit(not pathlib.Path(__file__).with_name('well').exists())\n"}
    release_in(tmp_path / "releases/0.1.0", record_of("0.1.0", "", first), first)
    upgrading.upgrade(stack, "0.2.0")
    for _ in range(2):
        (root / "ran").unlink(missing_ok=True)
        with pytest.raises(StackError, match="tries again"):
            upgrading.upgrade(stack, "0.1.0")
        assert (root / "ran").read_text() == "roll"
    with pytest.raises(StackError, match="The stack is not running"):
        upgrading.upgrade(stack, "")
    assert "migrate" not in (tmp_path / "programs/docker.calls").read_text()
    (root / "well").touch()
    assert upgrading.upgrade(stack, "0.1.0") == "0.1.0 runs."
    upgrading.upgrade(stack, "0.1.0")
    assert (root / "ran").read_text() == "upgrade"


CLEANING = """import pathlib, sys, threading, time
here = pathlib.Path(__file__)
try:
    here.with_name("ran").touch()
    threading.Event().wait(60)
except KeyboardInterrupt:
    time.sleep(0.6)
    here.with_name("cleaned").touch()
    sys.exit(1)
"""


@pytest.mark.usefixtures("terminable")
def test_an_interrupted_upgrade_cleans_up(stack: Stack, root: Path, tmp_path: Path) -> None:
    """Of a roll, the new replica is removed. The engine needs longer for that than Python grants by default."""
    files = {**SECOND, "board": CLEANING}
    release_in(tmp_path / "releases/0.2.0", record_of("0.2.0", "0.1.0", files), files)

    def kill() -> None:
        while not (root / "ran").exists():
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=kill, daemon=True).start()
    with pytest.raises(KeyboardInterrupt, match=r"upgrade 0\.2\.0 goes on, and \./board upgrade 0\.1\.0 leads back"):
        upgrading.upgrade(stack, "0.2.0")
    assert (root / "cleaned").exists()


def test_names_of_images_in_the_settings_would_hide_those_of_the_release(stack: Stack, root: Path) -> None:
    stack.configuration.write(BOARD_IMAGE="registry.example/board:0.1.0")
    assert refusal(stack, root, "0.2.0").startswith(f"BOARD_IMAGE in {stack.configuration.file} would hide the images")


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ("newest", "Give a version, such as 0.2.0, or the path of an archive; newest is neither."),
        ("0.3.0", "SHA256SUMS cannot be read from"),
        ("http://mirror.example/agent-board-0.2.0-compose.tar.gz", "http://mirror.example/SHA256SUMS is not https."),
    ],
)
def test_a_release_that_cannot_be_had_is_refused(stack: Stack, root: Path, wanted: str, reason: str) -> None:
    assert refusal(stack, root, wanted).startswith(reason)


def test_without_a_place_of_releases_the_setting_is_named(stack: Stack, root: Path) -> None:
    stack.configuration.file.write_text("")
    assert refusal(stack, root, "0.2.0").startswith("RELEASES in .env names no place of releases; set it, or give")


def test_an_archive_that_is_not_the_listed_one_is_refused(stack: Stack, root: Path, tmp_path: Path) -> None:
    archive = tmp_path / "releases/0.2.0" / archive_name("0.2.0")
    archive.write_bytes(archive.read_bytes() + b"\0")
    assert (
        refusal(stack, root, "0.2.0") == f"{archive.name} is not the file that SHA256SUMS lists. Nothing was changed."
    )


TOP = "agent-board-0.2.0"


@pytest.mark.parametrize("path", [f"{TOP}/../outside", "/outside", f"{TOP}/../../{TOP}/x", ".", "", TOP])
def test_a_path_out_of_the_archive_is_refused(path: str) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo(path))
    with pytest.raises(StackError, match="no file of a release"):
        downloads.unpacked(packed.getvalue(), TOP)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + b"\xff" * 99, "is damaged"),
        (gzip.compress(b"no archive" * 99), "is damaged"),
        (gzip.compress(bytes(2**19))[:-9], "is damaged"),
        (gzip.compress(bytes(2**20)), "unpacks to more than 0 MiB"),
    ],
    ids=["broken", "other", "shortened", "large"],
)
def test_a_damaged_archive_and_one_that_fills_the_memory_are_refused(
    monkeypatch: pytest.MonkeyPatch, content: bytes, reason: str
) -> None:
    monkeypatch.setattr(downloads, "MOST_UNPACKED", 2**20 - 1)
    with pytest.raises(StackError, match=reason):
        downloads.unpacked(content, TOP)


WHOLE = vars(record_of("0.2.0", "0.1.0", SECOND))
CHANGED: tuple[dict[str, Any], ...] = (
    {"version": 2},
    {"version": "0.2"},
    {"before": "first"},
    {"migration": "newest"},
    {"images": {}},
    {"images": [*IMAGES]},
    {"files": {**WHOLE["files"], "kept.yaml": None}},
    {"files": {**WHOLE["files"], "only-listed.yaml": "0" * 64}},
    {"files": {"compose.yaml": WHOLE["files"]["compose.yaml"]}},
)


@pytest.mark.parametrize(
    "record",
    [b"", b"[" * 100_000, b"[]", b"{}", *(json.dumps({**WHOLE, **each}).encode() for each in CHANGED)],
    ids=range(4 + len(CHANGED)),
)
def test_a_record_that_is_not_that_of_its_files_is_refused(record: bytes) -> None:
    files = {path: File(text.encode(), 0o644) for path, text in SECOND.items()}
    assert not downloads.is_release({**files, "release.json": File(record, 0o644)}, "0.2.0")
    assert downloads.is_release({**files, "release.json": File(json.dumps(WHOLE).encode(), 0o644)}, "0.2.0")


def test_a_file_that_the_archive_lacks_is_not_removed(stack: Stack, root: Path, tmp_path: Path) -> None:
    """Its record lists the file, in the form that the operator has not changed."""
    lacking = {path: text for path, text in SECOND.items() if path != "new.yaml"}
    release_in(tmp_path / "releases/0.2.0", record_of("0.2.0", "0.1.0", {**SECOND, "gone.yaml": "new"}), lacking)
    assert refusal(stack, root, "0.2.0").startswith(f"{archive_name('0.2.0')} is not the archive of 0.2.0")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("nonsense\r\n\r\n", "nonsense"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf", "IncompleteRead"),
        ("HTTP/1.1 302 Found\r\nLocation: http://mirror.example/x\r\n\r\n", "http://mirror.example/x is not https"),
    ],
)
def test_an_answer_that_is_no_release_is_refused(answer: str, reason: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def respond() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(answer.encode())

        responding = threading.Thread(target=respond)
        responding.start()
        with pytest.raises(StackError, match=reason):
            downloads.read(f"http://127.0.0.1:{server.getsockname()[1]}", "SHA256SUMS")
        responding.join()


@pytest.mark.parametrize(
    "place", ["https://mirror.example:port", "https://mirror.example/a b", "https://[::1", "ftp://localhost"]
)
def test_an_address_that_cannot_be_called_is_refused(place: str) -> None:
    with pytest.raises(StackError, match="Nothing was changed"):
        downloads.read(place, "SHA256SUMS")


@pytest.mark.parametrize(
    ("wanted", "place"),
    [("", "."), ("/", "/"), ("../", ".."), ("/a/", "/a"), ("https://h.example/a/", "https://h.example/a")],
)
def test_the_other_files_are_next_to_the_archive(stack: Stack, wanted: str, place: str) -> None:
    assert downloads.place_of(stack.configuration, f"{wanted}{archive_name('0.2.0')}") == (place, "0.2.0")


def signed(folder: Path, key: Path) -> None:
    (folder / "SHA256SUMS.sig").unlink(missing_ok=True)
    sign = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", "agent-board", str(folder / "SHA256SUMS")]
    subprocess.run(sign, check=True, capture_output=True)


@pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="ssh-keygen is missing")
def test_a_signed_release_is_followed_only_by_one_of_the_same_key(stack: Stack, root: Path, tmp_path: Path) -> None:
    for name in ("ours", "theirs"):
        make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(tmp_path / name)]
        subprocess.run(make, check=True)
    public = (tmp_path / "ours.pub").read_text().strip()
    now = record_of("0.1.0", "", {**FIRST, "board": BOARD}, public)
    upgrading.write(root / "release.json", File(downloads.record(now), 0o644))
    folder = tmp_path / "releases/0.2.0"
    assert refusal(stack, root, "0.2.0").startswith("SHA256SUMS.sig cannot be read from")
    signed(folder, tmp_path / "theirs")
    assert refusal(stack, root, "0.2.0").startswith("SHA256SUMS is not signed with the key of the release here.")
    signed(folder, tmp_path / "ours")
    upgrading.upgrade(stack, "0.2.0")
    assert (root / "compose.yaml").read_text() == "two"


def test_a_checkout_is_upgraded_by_git(stack: Stack, root: Path) -> None:
    (root / "release.json").unlink()
    with pytest.raises(StackError, match=r"This is a checkout: check out v0\.2\.0 with git, and run make upgrade"):
        upgrading.upgrade(stack, "0.2.0")
