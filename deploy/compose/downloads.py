"""The archive of another release: from an address or a folder, compared with SHA256SUMS and its signature."""

import dataclasses
import hashlib
import io
import json
import re
import subprocess
import tarfile
import tempfile
import urllib.request
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple
from urllib.error import URLError
from urllib.parse import urlsplit

from deploy.compose.configuration import DIRECTORY, Configuration
from deploy.compose.errors import StackError
from deploy.compose.release import RECORD, Release

ARCHIVE: Final = re.compile(r"agent-board-(\d+\.\d+\.\d+)-compose\.tar\.gz")
MOST_BYTES: Final = 64 * 2**20
SECONDS: Final = 60
NAMESPACE: Final = "agent-board"
"""The purpose in a signature (ssh-keygen -Y): one for another purpose does not count."""


class File(NamedTuple):
    """A file of an archive: its content and its mode."""

    content: bytes
    mode: int


def fetch(configuration: Configuration, now: Release, wanted: str) -> dict[str, File]:
    """Return the verified files of a release, by their paths: of its version, or of its archive. Raises StackError."""
    place, version = place_of(configuration, wanted)
    name = archive_name(version)
    sums = read(place, "SHA256SUMS")
    if now.signer:
        check_signature(now.signer, sums, read(place, "SHA256SUMS.sig"))
    content = read(place, name)
    if f"{sha256(content)}  {name}" not in sums.decode(errors="replace").splitlines():
        raise StackError(f"{name} is not the file that SHA256SUMS lists. Nothing was changed.")
    files = unpacked(content, f"agent-board-{version}")
    if RECORD not in files or json.loads(files[RECORD].content)["version"] != version:
        raise StackError(f"{name} is not the archive of {version}. Nothing was changed.")
    return files


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def archive_name(version: str) -> str:
    return f"agent-board-{version}-compose.tar.gz"


def place_of(configuration: Configuration, wanted: str) -> tuple[str, str]:
    """Return where the files of a release are, an address or a folder, and its version. Raises StackError."""
    if found := ARCHIVE.fullmatch(Path(wanted).name):
        return wanted.rpartition("/")[0] or ".", found[1]
    if not re.fullmatch(r"\d+\.\d+\.\d+", wanted):
        raise StackError(f"Give a version, such as 0.2.0, or the path of an archive; {wanted} is neither.")
    if not configuration["RELEASES"]:
        raise StackError("RELEASES in .env names no place of releases; set it, or give the path of the archive.")
    place = configuration["RELEASES"].replace("{version}", wanted)
    return place if "://" in place else str(DIRECTORY / place), wanted


def read(place: str, name: str) -> bytes:
    """Return a file of a release. Raises StackError."""
    try:
        content = download(f"{place.rstrip('/')}/{name}") if "://" in place else (Path(place) / name).read_bytes()
    except (OSError, URLError, ValueError) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "reason", None) or error
        raise StackError(f"{name} cannot be read from {place}: {reason}. Nothing was changed.") from None
    if len(content) > MOST_BYTES:
        raise StackError(f"{name} has more than {MOST_BYTES // 2**20} MiB. Nothing was changed.")
    return content


def download(address: str) -> bytes:
    parts = urlsplit(address)
    if parts.scheme != "https" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise StackError(f"{address} is not https. Nothing was changed.")
    with urllib.request.urlopen(address, timeout=SECONDS) as answer:  # checked above
        content: bytes = answer.read(MOST_BYTES + 1)
    return content


def check_signature(signer: str, sums: bytes, signature: bytes) -> None:
    """Raise StackError unless the key of the release here has signed SHA256SUMS."""
    with tempfile.TemporaryDirectory() as folder:
        signers, signed = Path(folder) / "signers", Path(folder) / "SHA256SUMS.sig"
        signers.write_text(f"release {signer}\n", encoding="utf-8")
        signed.write_bytes(signature)
        verify = ["ssh-keygen", "-Y", "verify", "-f", str(signers), "-I", "release", "-n", NAMESPACE, "-s", str(signed)]
        try:
            done = subprocess.run(verify, input=sums, capture_output=True, check=False)
        except FileNotFoundError:
            raise StackError("ssh-keygen is missing, which verifies releases. Nothing was changed.") from None
    if done.returncode != 0:
        raise StackError("SHA256SUMS is not signed with the key of the release here. Nothing was changed.")


def unpacked(content: bytes, top: str) -> dict[str, File]:
    """Return the files below the top folder of an archive, by their paths. Raises StackError."""
    found = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
            for member in archive:
                path = PurePosixPath(member.name)
                if not member.isfile() or path.parts[0] != top or ".." in path.parts or path.is_absolute():
                    raise StackError(f"The archive contains {member.name}, which is no file of a release.")
                file = archive.extractfile(member)
                found[str(path.relative_to(top))] = File(file.read() if file else b"", member.mode & 0o755)
    except (tarfile.TarError, EOFError, OSError):
        raise StackError("The archive is damaged. Nothing was changed.") from None
    return found


def record(release: Release) -> bytes:
    """Return the record of a release, as its archive has it."""
    return (json.dumps(dataclasses.asdict(release), indent=1, sort_keys=True) + "\n").encode()
