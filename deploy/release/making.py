"""Makes a release of a commit: its images and its files, in dist/VERSION, and its tag last."""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from deploy.compose.images import identity
from deploy.compose.stack import Stack
from deploy.release import archive, artifacts, changelog, commit, image, manifests, publishing, signing
from deploy.release.notes import notes


def release(checkout: Path, version: str, repository: str) -> str:
    """Make the release of a checkout; `repository` names its image, without a tag. Raises ReleaseError, StackError."""
    changes = check(checkout, version)
    images = image.names(repository, version)
    folder = make_files(checkout, version, changes, images)
    stack = image.stack(images)
    built = image.build(stack, checkout, version) if image.has_engine(stack) else []
    write_bills(checkout, folder, stack, built)
    return finish(checkout, folder, version, changes, (f"{name} {identity(stack, name)}" for name in built))


def publish(checkout: Path, version: str, repository: str, platforms: Sequence[str]) -> str:
    """Publish the images of a release, and make its files, which name them by digest.

    Raises ReleaseError, StackError.
    """
    publishing.check(repository, platforms)
    changes = check(checkout, version)
    images, found = publishing.publish(checkout, repository, version, platforms)
    stack = image.stack(images)
    folder = make_files(checkout, version, changes, {**images, **publishing.pinned(stack)}, found)
    write_bills(checkout, folder, stack, images.values())
    return finish(checkout, folder, version, changes, images.values())


def check(checkout: Path, version: str) -> str:
    """Return the changes of this version, as which the commit may be released. Raises ReleaseError."""
    commit.check_version(checkout, version)
    changes = changelog.section((checkout / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    commit.check_tag(checkout, f"v{version}")
    commit.keep_promises(checkout, version)
    commit.check_clean(checkout)
    return changes


def make_files(
    checkout: Path, version: str, changes: str, images: Mapping[str, str], platforms: Sequence[str] = ()
) -> Path:
    """Make the files of the release in a new folder, dist/VERSION, and return it. Raises ReleaseError.

    `images` are by their settings; `platforms` are those of images that were published.
    """
    folder = checkout / "dist" / version
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    artifacts.make_wheels(checkout, folder)
    artifacts.make_bill_of_materials(checkout, folder / f"agent-board-{version}.cdx.json", commit.seconds(checkout))
    signer = signing.public_key(signing.key_file(checkout))
    archive.write_archive(checkout, folder, version, images)
    manifests.write_manifest(checkout, folder, version, images)
    (folder / "NOTES.md").write_text(notes(version, changes, images, platforms, signer), encoding="utf-8")
    artifacts.write_checksums(folder)
    return folder


def write_bills(checkout: Path, folder: Path, stack: Stack, names: Iterable[str]) -> None:
    """List the packages of images in files of their own. Raises StackError."""
    for name in names:
        tagged = name.partition("@")[0]
        file = folder / f"{tagged.rpartition('/')[2].replace(':', '-')}.image.cdx.json"
        artifacts.write_image_bill(file, tagged, image.packages(stack, name), commit.seconds(checkout))


def finish(checkout: Path, folder: Path, version: str, changes: str, images: Iterable[str]) -> str:
    """Sign the checksums and the tag if git has a key, and return the parts of the release. Raises ReleaseError."""
    artifacts.write_checksums(folder)
    key, tag = signing.key_file(checkout), f"v{version}"
    if key:
        signing.sign(key, folder / artifacts.CHECKSUMS)
    if not commit.check_tag(checkout, tag):
        commit.tag(checkout, tag, f"{tag}\n\n{changes}\n", signed=key is not None)
    lines = [f"Tag     {tag}", *(f"Image   {name}" for name in images)]
    lines += [f"File    {path.relative_to(checkout)}" for path in sorted(folder.iterdir())]
    return "\n".join([*lines, "Signed with the key of git." if key else "Not signed: git has no SSH key to sign with."])
