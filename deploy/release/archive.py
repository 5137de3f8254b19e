"""The archive of a release, agent-board-VERSION-compose.tar.gz: the stack in containers without a checkout.

It has the files of deploy/compose where a checkout has them, but builds nothing, and `./board` in the place of `make`;
and the overlays for Kubernetes, with the images of the release.
"""

import gzip
import io
import posixpath
import re
import subprocess
import tarfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from deploy.compose.spoken import in_archive
from deploy.release import manifests

PLACES: Final = ("deploy/__init__.py", "deploy/compose", "deploy/k8s", "deploy/observability", "docs", "LICENSE",
                 "CHANGELOG.md")  # fmt: skip
NOT_USED: Final = re.compile(r"deploy/compose/(pgbackrest/.*|haproxy_files\.py)|docs/.*\.png")
BUILD: Final = re.compile(r"^( +)build:\n(?:\1 +.*\n)+", re.MULTILINE)
LINK: Final = re.compile(r"\[([^\]]*)\]\(([^)#:]+)(?:#[^)]*)?\)")


class File(NamedTuple):
    """A file of the archive: its content and its mode."""

    content: bytes
    mode: int


def write_archive(checkout: Path, folder: Path, version: str, images: Mapping[str, str]) -> None:
    """Write the archive of a commit into a folder. The same commit and images give the same bytes."""
    made = files(checkout, images)
    packed, moment = io.BytesIO(), int(git(checkout, "log", "-1", "--format=%ct"))
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, each in sorted(made.items()):
            member = tarfile.TarInfo(f"agent-board-{version}/{path}")
            member.size, member.mode, member.mtime = len(each.content), each.mode, moment
            archive.addfile(member, io.BytesIO(each.content))
    (folder / f"agent-board-{version}-compose.tar.gz").write_bytes(gzip.compress(packed.getvalue(), mtime=0))


def files(checkout: Path, images: Mapping[str, str]) -> dict[str, File]:
    """Return the files of the archive by their paths, all of them committed ones."""
    listed = git(checkout, "ls-files", "--", *PLACES).splitlines()
    found = {path: File(adapted(checkout, path, images), 0o644) for path in listed if not NOT_USED.fullmatch(path)}
    for path in found:
        if path.endswith(".md"):
            found[path] = File(linked(found[path].content.decode(), path, found).encode(), 0o644)
    return {**found, "board": File((checkout / "deploy/release/board").read_bytes(), 0o755)}


def adapted(checkout: Path, path: str, images: Mapping[str, str]) -> bytes:
    """Return the content of a file as the archive has it."""
    content = (checkout / path).read_bytes()
    if not path.endswith((".md", ".yaml", ".example")) or path == "CHANGELOG.md":
        return content
    text = in_archive(content.decode())
    if path.startswith("deploy/compose/") and path.endswith(".yaml"):
        text = BUILD.sub("", text)
    if path.startswith("deploy/k8s/components/images/"):
        text = manifests.with_image(text, images["BOARD_IMAGE"])
    for name, image in images.items():
        text = re.sub(rf"(\$\{{{name}:-)[^}}]+|(# {name}=).*", rf"\g<1>\g<2>{image}", text)
    return text.encode()


def linked(text: str, path: str, files: Collection[str]) -> str:
    """Return a document with only the words of its links to files that the archive lacks."""

    def kept(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link[2]))
        return link[0] if target in files else link[1]

    return LINK.sub(kept, text)


def git(folder: Path, *arguments: str) -> str:
    """Run git and return its output. Raises CalledProcessError."""
    return subprocess.run(["git", *arguments], cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
