"""The images of the stack: the board's own are built or pulled, and Compose pulls the others that are missing."""

import re

from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

PUBLISHED = re.compile(r"(localhost|[^/]*[.:][^/]*)/.+|.+@sha256:[0-9a-f]{64}")
NEEDED = ("haproxy", "api", "limiter", "fanout", "migrate", "postgresql", "valkey")
"""Without one of these services there is no board."""
BUILT = {"api": "BOARD_IMAGE", "postgresql": "DATABASE_IMAGE"}
"""The settings that name the board's own images, by a service that runs them."""


def images(stack: Stack) -> dict[str, str]:
    """Return the image of each service of which the settings start a container. Raises StackError."""
    described = stack.described()["services"].items()
    return {name: service["image"] for name, service in described if service.get("deploy", {}).get("replicas", 1)}


def is_published(image: str) -> bool:
    """Return whether a name is that of an image in a registry: it names the registry's host, or a digest."""
    return PUBLISHED.fullmatch(image) is not None


def obtain(stack: Stack, *, is_new: bool) -> None:
    """Provide the image of each service that is wanted. Raises StackError."""
    wanted = images(stack)
    for service in (name for name in BUILT if name in wanted):
        provide(stack, service, is_new=is_new)
    # Compose itself would also ask the registry for an image with a digest that is here.
    if missing := [name for name, image in wanted.items() if not is_here(stack, image)]:
        stack.compose("pull", *missing)


def provide(stack: Stack, service: str, *, is_new: bool = False) -> None:
    """Pull the image of the board or of PostgreSQL if this machine lacks it, or build it. Raises StackError.

    It is built again if it `is_new`. `docker compose run` would do the same in silence, and within the time of the
    command.
    """
    image = stack.configuration[BUILT[service]]
    is_pulled = is_published(image)
    if not is_here(stack, image) or (is_new and not is_pulled):
        print(f"{'Pulling' if is_pulled else 'Building'} {image}", flush=True)
        stack.compose("pull" if is_pulled else "build", service)


def is_here(stack: Stack, image: str) -> bool:
    """Return whether this machine has an image."""
    return identity(stack, image) != ""


def identity(stack: Stack, image: str) -> str:
    """Return the id of an image; nothing if this machine lacks it."""
    try:
        return stack.docker("image", "inspect", "--format", "{{.Id}}", image).strip()
    except StackError:
        return ""
