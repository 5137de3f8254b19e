"""The images of a release, built as `make up` builds them, and the Debian packages in them."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack
from deploy.release import commit
from deploy.release.artifacts import moment

LIST = "dpkg-query --show --showformat='${Package} ${Version} ${Architecture}\\n'"
# compose.yaml asks for the first three, although a build does not use them. A stack of this checkout has no influence.
FIXED = {
    "RUN_AS_UID": "10001", "RUN_AS_GID": "10001", "BASE_URL": "http://127.0.0.1:8000",
    "ENV_FILE": os.devnull, "COMPOSE_FILE": "compose.yaml",
}  # fmt: skip


def names(image: str, tag: str) -> dict[str, str]:
    """Return the names of the images of a release, by their settings: that of PostgreSQL has a suffix."""
    return {"BOARD_IMAGE": f"{image}:{tag}", "DATABASE_IMAGE": f"{image}-postgresql:{tag}"}


def stack(images: Mapping[str, str], platform: str = "") -> Stack:
    """Return the stack whose images have these names, and a platform such as linux/arm64."""
    chosen = {"DOCKER_DEFAULT_PLATFORM": platform} if platform else {}
    return Stack(Configuration({**os.environ, **FIXED, **images, **chosen}))


def build(stack: Stack, checkout: Path, version: str) -> list[str]:
    """Build the images of the board and of PostgreSQL with pgBackRest, with labels of the commit; return their names.

    Raises ReleaseError, StackError.
    """
    created = moment(commit.seconds(checkout))
    labels = {"RELEASE": version, "REVISION": commit.revision(checkout), "CREATED": created}
    stack.compose("build", *(f"--build-arg={name}={value}" for name, value in labels.items()), "api", "postgresql")
    return [stack.configuration[name] for name in names("", "")]


def packages(stack: Stack, image: str) -> list[dict[str, Any]]:
    """Return the Debian packages of an image as components of CycloneDX; none on another system. Raises StackError."""
    script = f"command -v dpkg-query >/dev/null || exit 0; exec {LIST}"
    run = ("run", "--rm", "--network", "none", "--entrypoint", "sh", image, "-c", script)
    return [component(*line.split()) for line in stack.docker(*run).splitlines()]


def component(name: str, version: str, architecture: str) -> dict[str, Any]:
    url = f"pkg:deb/debian/{name}@{quote(version)}?arch={architecture}"
    return {"type": "library", "bom-ref": url, "name": name, "version": version, "purl": url}


def has_engine(stack: Stack) -> bool:
    """Return whether this machine can build images; if not, print the reason."""
    try:
        stack.check_engine()
    except StackError as error:
        print(f"No image is built. {error}", flush=True)
        return False
    return True
