"""Containers whose mounts are not those of the settings, which Compose would keep.

When Compose replaces a container, it keeps what the old one had mounted where the image has a volume of its own, and
where the new definition has a file system in memory. Moving from one server of PostgreSQL to three changes mounts.
"""

import re
from collections.abc import Mapping
from typing import Any

from deploy.compose.stack import Stack

# The engine names the volume that an image has by itself.
ANONYMOUS = re.compile("[0-9a-f]{64}")
SECRETS = "/run/secrets/"


def remove_outdated(stack: Stack) -> None:
    """Remove the containers that have more mounted than the settings name, so that Compose makes new ones.

    Raises StackError.
    """
    services = stack.described()["services"]
    for each in stack.inspected():
        if outdated(each["Mounts"], services.get(each["Config"]["Labels"]["com.docker.compose.service"])):
            print(f"Removing {each['Name'].lstrip('/')}, whose mounts have changed", flush=True)
            grace = each["Config"].get("StopTimeout") or 10
            stack.docker("stop", each["Id"], seconds=grace + 30)
            stack.docker("rm", "--volumes", each["Id"])


def outdated(mounts: list[dict[str, Any]], service: Mapping[str, Any] | None) -> bool:
    """Return whether a container has something mounted where its service, as Compose describes it, has nothing."""
    if service is None:
        return False
    wanted = {each["target"] for each in service.get("volumes", ()) if each.get("source")}
    return any(
        mount["Destination"] not in wanted and not is_own(mount)
        for mount in mounts
        if mount["Type"] in ("volume", "bind")
    )


def is_own(mount: Mapping[str, Any]) -> bool:
    """Return whether the engine or Compose mounts this by itself: no volume of a service names it."""
    return mount["Destination"].startswith(SECRETS) or bool(ANONYMOUS.fullmatch(mount.get("Name", "")))
