"""The archive of a release, agent-board-VERSION-compose.tar.gz: all files of its commit.

Those that name images name the ones of the release.
"""

import gzip
import io
import re
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path


def write_archive(checkout: Path, folder: Path, version: str, images: Mapping[str, str]) -> None:
    """Write the archive of a commit into a folder. The same commit and images give the same bytes."""
    command = ["git", "archive", "--format=tar", f"--prefix=agent-board-{version}/", "HEAD"]
    committed = subprocess.run(command, cwd=checkout, stdout=subprocess.PIPE, check=True).stdout
    packed = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(committed)) as source,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for member in source:
            file = source.extractfile(member)
            content = adapted(member.name.partition("/")[2], file.read(), images) if file else b""
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    (folder / f"agent-board-{version}-compose.tar.gz").write_bytes(gzip.compress(packed.getvalue(), mtime=0))


def adapted(path: str, content: bytes, images: Mapping[str, str]) -> bytes:
    """Return the content of a file as the archive has it: its images are pulled, not built."""
    if path.startswith("deploy/k8s/components/images/"):
        return with_image(content.decode(), images["BOARD_IMAGE"]).encode()
    if not path.startswith("deploy/compose/") or not path.endswith((".yaml", ".example")):
        return content
    text = content.decode()
    for name, image in images.items():
        text = re.sub(rf"(\$\{{{name}:-)[^}}]+|(# {name}=).*", rf"\g<1>\g<2>{image}", text)
    return text.encode()


def with_image(component: str, image: str) -> str:
    """Return the component that names the board's image with that of the release, and its digest or else its tag."""
    tagged, _, digest = image.partition("@")
    repository, _, tag = tagged.rpartition(":")
    version = f'digest: "{digest}"' if digest else f'newTag: "{tag}"'
    named = f"- {{ name: agent-board, newName: {repository}, {version} }}\n"
    return re.sub(r"^- name: agent-board\n  newTag: .*\n", named, component, flags=re.MULTILINE)


def git(folder: Path, *arguments: str) -> str:
    """Run git and return its output. Raises CalledProcessError."""
    return subprocess.run(["git", *arguments], cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
