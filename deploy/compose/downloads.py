"""The archive of another release: from an address or a folder, compared with SHA256SUMS and its signature."""

import dataclasses
import gzip
import hashlib
import io
import json
import re
import subprocess
import tarfile
import tempfile
import urllib.request
import zlib
from collections.abc import Mapping
from http.client import HTTPException, HTTPMessage
from pathlib import Path, PurePosixPath
from typing import IO, Final, NamedTuple
from urllib.parse import urlsplit
from urllib.request import Request

from deploy.compose.configuration import DIRECTORY, Configuration
from deploy.compose.errors import StackError
from deploy.compose.release import RECORD, VERSION, Release, parsed

ARCHIVE: Final = re.compile(rf"agent-board-({VERSION})-compose\.tar\.gz")
MOST_BYTES: Final = 64 * 2**20
MOST_UNPACKED: Final = 4 * MOST_BYTES
SECONDS: Final = 60
LOCAL: Final = ("localhost", "127.0.0.1", "::1")
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
    if not is_release(files, version):
        raise StackError(f"{name} is not the archive of {version}, whose record lists its files. Nothing was changed.")
    return files


def is_release(files: Mapping[str, File], version: str) -> bool:
    """Return whether files have the record of a version, which lists exactly them."""
    if RECORD not in files:
        return False
    try:
        found = parsed(files[RECORD].content)
    except StackError:
        return False
    # A file that only the record lists would be removed from the operator's folder.
    digests = {path: sha256(file.content) for path, file in files.items() if path != RECORD}
    return found.version == version and found.files == digests


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def archive_name(version: str) -> str:
    return f"agent-board-{version}-compose.tar.gz"


def place_of(configuration: Configuration, wanted: str) -> tuple[str, str]:
    """Return where the files of a release are, an address or a folder, and its version. Raises StackError."""
    if found := ARCHIVE.fullmatch(Path(wanted).name):
        return wanted.rpartition("/")[0] if "://" in wanted else str(Path(wanted).parent), found[1]
    if not re.fullmatch(VERSION, wanted):
        raise StackError(f"Give a version, such as 0.2.0, or the path of an archive; {wanted} is neither.")
    if not configuration["RELEASES"]:
        raise StackError("RELEASES in .env names no place of releases; set it, or give the path of the archive.")
    place = configuration["RELEASES"].replace("{version}", wanted)
    return place if "://" in place else str(DIRECTORY / place), wanted


def read(place: str, name: str) -> bytes:
    """Return a file of a release. Raises StackError."""
    try:
        content = download(f"{place.rstrip('/')}/{name}") if "://" in place else beginning(Path(place) / name)
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "reason", None) or error or type(error).__name__
        raise StackError(f"{name} cannot be read from {place}: {reason}. Nothing was changed.") from None
    if len(content) > MOST_BYTES:
        raise StackError(f"{name} has more than {MOST_BYTES // 2**20} MiB. Nothing was changed.")
    return content


def beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MOST_BYTES + 1)


def download(address: str) -> bytes:
    check_address(address)
    with urllib.request.build_opener(Redirects).open(address, timeout=SECONDS) as answer:
        content: bytes = answer.read(MOST_BYTES + 1)
    return content


def check_address(address: str) -> None:
    """Raise StackError if the way to an address is not protected: by https, or because it is on this machine."""
    parts = urlsplit(address)
    if parts.scheme != "https" and (parts.scheme != "http" or parts.hostname not in LOCAL):
        raise StackError(f"{address} is not https. Nothing was changed.")


class Redirects(urllib.request.HTTPRedirectHandler):
    """Follow only redirects to addresses that may be read, too."""

    def redirect_request(  # its signature is that of the standard library
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        check_address(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


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
        with tarfile.open(fileobj=io.BytesIO(expanded(content)), mode="r:") as archive:
            for member in archive:
                path = path_below(top, member)
                file = archive.extractfile(member)
                found[path] = File(file.read() if file else b"", member.mode & 0o755)
    except (tarfile.TarError, zlib.error, EOFError, OSError, ValueError, OverflowError, RecursionError):
        raise StackError("The archive is damaged. Nothing was changed.") from None
    return found


def path_below(top: str, member: tarfile.TarInfo) -> str:
    """Return the path of a member below the top folder. Raises StackError if it is no file there."""
    path = PurePosixPath(member.name)
    # A sparse file can be larger than the archive.
    plain = member.isfile() and not member.issparse()
    if not plain or path.parts[:1] != (top,) or len(path.parts) < 2 or ".." in path.parts:
        raise StackError(f"The archive contains {member.name!r}, which is no file of a release. Nothing was changed.")
    return str(path.relative_to(top))


def expanded(content: bytes) -> bytes:
    with gzip.open(io.BytesIO(content)) as packed:
        plain = packed.read(MOST_UNPACKED + 1)
    if len(plain) > MOST_UNPACKED:
        raise StackError(f"The archive unpacks to more than {MOST_UNPACKED // 2**20} MiB. Nothing was changed.")
    return plain


def record(release: Release) -> bytes:
    """Return the record of a release, as its archive has it."""
    return (json.dumps(dataclasses.asdict(release), indent=1, sort_keys=True) + "\n").encode()
