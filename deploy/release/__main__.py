"""The command behind `make release`: checks the commit, makes the files and the image, and tags the commit last."""

import os
import shutil
import sys
from pathlib import Path

from deploy.compose.errors import StackError
from deploy.release import artifacts, changelog, commit, image
from deploy.release.errors import ReleaseError

CHECKOUT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    """Make the release of the given version. Return 0 on success, else 1."""
    try:
        print(release(CHECKOUT, arguments[0] if arguments else "", os.environ.get("IMAGE") or "agent-board"))
    except (ReleaseError, StackError, OSError) as error:
        print(f"make release: {error}", file=sys.stderr)
        return 1
    return 0


def release(checkout: Path, version: str, repository: str) -> str:
    """Make the release of a checkout; `repository` names its image, without a tag. Raises ReleaseError, StackError."""
    commit.check_version(checkout, version)
    commit.check_answers(checkout, version)
    changes = changelog.section((checkout / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    commit.check_clean(checkout)
    tag = f"v{version}"
    is_tagged = commit.check_tag(checkout, tag)
    folder = make_files(checkout, version)
    built = make_images(checkout, folder, repository, version)
    if not is_tagged:
        commit.tag(checkout, tag, f"{tag}\n\n{changes}\n")
    return "\n".join([f"Tag     {tag}", *(f"Image   {name}" for name in built), *files(checkout, folder)])


def make_files(checkout: Path, version: str) -> Path:
    """Make the files of the release in a new folder, dist/VERSION, and return it. Raises ReleaseError."""
    folder = checkout / "dist" / version
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    artifacts.make_wheel(checkout, folder)
    artifacts.make_bill_of_materials(checkout, folder / f"agent-board-{version}.cdx.json", commit.seconds(checkout))
    artifacts.write_checksums(folder)
    return folder


def make_images(checkout: Path, folder: Path, repository: str, version: str) -> list[str]:
    """Build the images if there is an engine, and list their packages; return names and ids. Raises StackError."""
    seconds = commit.seconds(checkout)
    stack = image.stack(repository, version, commit.revision(checkout), seconds)
    if not image.has_engine(stack):
        return []
    names = image.build(stack)
    for name in names:
        file = folder / f"{name.rpartition('/')[2].replace(':', '-')}.image.cdx.json"
        artifacts.write_image_bill(file, name, image.packages(stack, name), seconds)
    artifacts.write_checksums(folder)
    return [f"{name} {stack.docker('image', 'inspect', '--format', '{{.Id}}', name).strip()}" for name in names]


def files(checkout: Path, folder: Path) -> list[str]:
    return [f"File    {path.relative_to(checkout)}" for path in sorted(folder.iterdir())]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
