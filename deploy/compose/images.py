"""The images of the stack: fetched one by one, so that a missing one does not keep the others from starting."""

import re
from collections.abc import Mapping
from typing import Any

from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

PUBLISHED = re.compile(r"(localhost|[^/]*[.:][^/]*)/.+|.+@sha256:[0-9a-f]{64}")
NEEDED = ("haproxy", "api", "limiter", "fanout", "migrate", "postgresql", "valkey")
"""Without one of these services there is no board."""
BUILT = {"api": "BOARD_IMAGE", "postgresql": "DATABASE_IMAGE"}
"""The settings that name the board's own images, by a service that runs them."""
PULL_SECONDS = 1800


def images(stack: Stack) -> dict[str, str]:
    """Return the image of each service that the profiles in COMPOSE_PROFILES start. Raises StackError."""
    return {name: service["image"] for name, service in stack.described()["services"].items() if is_wanted(service)}


def is_wanted(service: Mapping[str, Any]) -> bool:
    """Return whether the settings want any container of a service, as Compose describes it."""
    return bool(((service or {}).get("deploy") or {}).get("replicas", 1))


def is_published(image: str) -> bool:
    """Return whether a name is that of an image in a registry: it names the registry's host, or a digest."""
    return PUBLISHED.fullmatch(image) is not None


def fetch(stack: Stack, images: Mapping[str, str]) -> dict[str, str]:
    """Pull every image that this machine lacks; return the reason for each service whose image is not available.

    Raises StackError if the board itself needs one of these.
    """
    missing = {}
    for name, image in images.items():
        if not is_here(stack, image):
            print(f"Pulling {image}", flush=True)
            try:
                stack.docker("pull", "--quiet", image, seconds=PULL_SECONDS)
            except StackError as error:
                missing[name] = str(error)
    if needed := [name for name in NEEDED if name in missing]:
        raise StackError(f"The image of {needed[0]} is not available: {missing[needed[0]]}")
    return missing


def obtain(stack: Stack, *, is_new: bool) -> dict[str, str]:
    """Provide each image; return the reason for each service that stays without one. Raises StackError."""
    wanted = images(stack)
    for service in (name for name in BUILT if name in wanted):
        provide(stack, service, is_new=is_new)
    return fetch(stack, wanted)


def provide(stack: Stack, service: str, *, is_new: bool = False) -> None:
    """Build or pull the image of the board or of PostgreSQL, and show it. Raises StackError.

    Only if this machine lacks it, unless it `is_new`. `docker compose run` would do the same in silence, and within the
    time of the command.
    """
    image = stack.configuration[BUILT[service]]
    if is_published(image):
        fetch(stack, {service: image})
    elif is_new or not is_here(stack, image):
        print(f"Building {image}", flush=True)
        stack.compose("build", service)


def left_out(missing: Mapping[str, str]) -> str:
    """Return a sentence for each service that was not started, or nothing."""
    return "\n".join(f"Not started: {name}. {reason}" for name, reason in missing.items())


def is_here(stack: Stack, image: str) -> bool:
    """Return whether this machine has an image."""
    return identity(stack, image) != ""


def identity(stack: Stack, image: str) -> str:
    """Return the id of an image; nothing if this machine lacks it."""
    try:
        return stack.docker("image", "inspect", "--format", "{{.Id}}", image).strip()
    except StackError:
        return ""
