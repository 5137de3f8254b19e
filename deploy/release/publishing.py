"""Publishes the images of a release: one image for each platform, pushed by digest, and an index of all platforms.

A machine that cannot build for every platform builds its own (PLATFORMS). The index joins what the registry has of the
same commit, so that the run on the last machine completes the release.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from deploy.compose.configuration import defaults
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack
from deploy.release import commit, image
from deploy.release.errors import ReleaseError

PLATFORMS: Final = ("linux/amd64", "linux/arm64")
OURS: Final = ("BOARD_IMAGE", "DATABASE_IMAGE", "BASE_IMAGE")
PUSH_SECONDS: Final = 1800


def publish(
    checkout: Path, repository: str, version: str, platforms: Sequence[str]
) -> tuple[dict[str, str], list[str]]:
    """Build and push the images; return them by their settings, with digests, and the platforms that they have.

    Raises ReleaseError, StackError.
    """
    check(repository, platforms)
    revision = commit.revision(checkout)
    for platform in platforms:
        push(checkout, repository, version, platform)
    stack = image.stack(image.names(repository, version))
    found: dict[str, str] = {}
    for name, tagged in image.names(repository, version).items():
        parts = {each: part for each in PLATFORMS if (part := pushed(stack, f"{tagged}-{machine(each)}", revision))}
        digests = [f"{tagged.rpartition(':')[0]}@{digest}" for digest in parts.values()]
        stack.docker("buildx", "imagetools", "create", "--tag", tagged, *digests, seconds=PUSH_SECONDS)
        found[name] = f"{tagged}@{inspected(stack, tagged, '.Manifest')['digest']}"
    return found, list(parts)


def check(repository: str, platforms: Sequence[str]) -> None:
    """Raise ReleaseError unless a repository of a registry and known platforms are named."""
    if not re.fullmatch(r"(localhost|[^/]*[.:][^/]*)/[a-z0-9._/-]+", repository):
        raise ReleaseError("Name the repository with its registry: REGISTRY=registry.example/agent-board")
    if unknown := sorted({*platforms} - {*PLATFORMS}):
        raise ReleaseError(f"PLATFORMS names {', '.join(unknown)}; images are built for {' and '.join(PLATFORMS)}.")


def push(checkout: Path, repository: str, version: str, platform: str) -> None:
    """Build the images of one platform, and push them under a tag of their own. Raises StackError."""
    names = image.names(repository, f"{version}-{machine(platform)}")
    stack = image.stack(names, platform)
    stack.check_engine()
    for name in image.build(stack, checkout, version):
        stack.docker("push", name, seconds=PUSH_SECONDS)


def pushed(stack: Stack, name: str, revision: str) -> str:
    """Return the digest of a pushed image; blank if the registry has none of this commit."""
    try:
        labels = inspected(stack, name, ".Image")["config"]["Labels"]
        digest: str = inspected(stack, name, ".Manifest")["digest"]
    except (StackError, KeyError):
        return ""
    return digest if labels["org.opencontainers.image.revision"] == revision else ""


def pinned(stack: Stack) -> dict[str, str]:
    """Return the images of others by their settings, with the digests of those whose registry answers."""
    names = [name for name in defaults() if name.endswith("_IMAGE") and name not in OURS]
    return {name: with_digest(stack, stack.configuration[name]) for name in names}


def with_digest(stack: Stack, name: str) -> str:
    if "@" in name:
        return name
    try:
        return f"{name}@{inspected(stack, name, '.Manifest')['digest']}"
    except StackError:
        print(f"{name} has no digest in this release: its registry does not answer.", flush=True)
        return name


def inspected(stack: Stack, name: str, part: str) -> dict[str, Any]:
    """Return what the registry has of an image. Raises StackError."""
    form = "{{json %s}}" % part  # noqa: UP031 # braces of a template
    found: dict[str, Any] = json.loads(stack.docker("buildx", "imagetools", "inspect", "--format", form, name))
    return found


def machine(platform: str) -> str:
    return platform.rpartition("/")[2]
