"""Images, settings and secrets that have changed since the containers started."""

from pathlib import Path
from typing import Any, Final

from deploy.compose import images, trials
from deploy.compose.capacity import check_connections
from deploy.compose.configuration import MOST_REPLICAS
from deploy.compose.stack import EVERYTHING, Container, Stack

READ_LIVE: Final = {"haproxy": "tls_certificate", "postgresql": "backup_repository"}
"""The secret that each of these reads while it runs. They notice its new contents, but not another file."""


def tried(stack: Stack) -> set[str]:
    """Return the services that have changed. Raises StackError if a new setting would break the board."""
    found = changed(stack)
    trials.check(stack, [name for name in trials.ALONE if name in found])
    check_connections(stack, stack.configuration.whole("API_REPLICAS", MOST_REPLICAS))
    return found


def changed(stack: Stack) -> set[str]:
    """Return the services with a container of other settings, images or secrets than are given now.

    Compose does not compare the contents of secrets. Raises StackError.
    """
    described = stack.described(*EVERYTHING)
    services = described["services"]
    hashes = dict(line.split() for line in stack.ask(*EVERYTHING, "config", "--hash", "*").splitlines())
    ids = {name: images.identity(stack, service["image"]) for name, service in services.items()}
    return {
        each.service
        for each in stack.containers()
        if each.service in services
        if (each.config_hash, each.image) != (hashes[each.service], ids[each.service])
        or has_former_secret(stack, each, described)
    }


def has_former_secret(stack: Stack, container: Container, described: dict[str, Any]) -> bool:
    """Return whether a container has read a secret that has been written since, or replaced by another file.

    Contents are not compared: a copy for the comparison would be a secret, too. Raises StackError.
    """
    names = (each["source"] for each in described["services"][container.service].get("secrets", ()))
    files = {name: path for name in names if (path := Path(described["secrets"][name]["file"])).is_file()}
    if container.service not in READ_LIVE:
        return any(path.stat().st_ctime > container.started for path in files.values())
    name = READ_LIVE[container.service]
    if name not in files or not container.well:
        return False
    seen = stack.docker("exec", container.id, "stat", "-c", "%i", f"/run/secrets/{name}")
    return int(seen) != files[name].stat().st_ino
