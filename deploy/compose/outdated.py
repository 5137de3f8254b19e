"""Containers that run another image, or with other settings, than the configuration describes, and how to replace them.

Images are compared by their ids: one that was built again keeps its name.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from deploy.compose import images
from deploy.compose.stack import Container, Stack

FINISHED: Final = ("migrate", "dashboards", "loadtest", "loadtest-worker")
"""Services whose containers run once."""
COSTS: Final = {
    "haproxy": "no call is answered for some seconds",
    "postgresql": "calls are answered 503 until it runs again, for about half a minute",
    "valkey": "the counts of all limits begin at zero",
}
"""The cost of replacing each service that `make roll` and `make upgrade` leave as it is."""


def changed(stack: Stack, services: dict[str, Any]) -> set[str]:
    """Return which of the services run another image, or with other settings, than they have. Raises StackError."""
    return {*by_image(stack, services), *by_settings(stack, services)}


def by_image(stack: Stack, services: dict[str, Any]) -> dict[str, list[Container]]:
    """Return the running containers of another image than their service has, by service. Raises StackError."""
    named = {name: service["image"] for name, service in services.items()}
    ids = {image: images.identity(stack, image) for image in set(named.values())}
    return {
        service: found
        for service, image in named.items()
        if (found := [each for each in lasting(stack, service) if each.image != ids[image]])
    }


def by_settings(stack: Stack, services: dict[str, Any]) -> dict[str, list[Container]]:
    """Return the running containers that Compose would replace for their settings, by service. Raises StackError.

    Services with optional dependencies are left out: Compose starts them with another hash than it reports.
    """
    hashes = dict(line.split() for line in stack.ask("--profile", "*", "config", "--hash", "*").splitlines())
    return {
        service: found
        for service, wanted in hashes.items()
        if not has_optional_dependency(services[service])
        and (found := [each for each in lasting(stack, service) if each.config_hash != wanted])
    }


def has_optional_dependency(service: dict[str, Any]) -> bool:
    return any(not each.get("required", True) for each in service.get("depends_on", {}).values())


def left(stack: Stack) -> str:
    """Return what still has to be replaced, with the command and its cost, or nothing. Raises StackError."""
    lines = [f"  {name}: {COSTS[name]}" for name in sorted(changed(stack, stack.all_services()) & COSTS.keys())]
    if not lines:
        return ""
    return "\n".join(["make up replaces what has changed, too, but would cost service, and was left:", *lines])


def troubles(stack: Stack) -> Iterator[str]:
    """Yield a sentence for each service that runs another image, or with other settings, than the settings name.

    Raises StackError.
    """
    named = stack.all_services()
    former = by_image(stack, named)
    for service, found in former.items():
        image = named[service]["image"]
        yield f"{running(found)} another image than {image}, which the settings name; {remedy(stack, service, image)}"
    version = re.split("[-+]", stack.compose_version().strip().removeprefix("v"))[0]
    for service, found in by_settings(stack, named).items():
        # Each version of Compose describes the same settings in its own way.
        comparable = [each for each in found if each.compose == version]
        if comparable and service not in former:
            now = remedy(stack, service, named[service]["image"])
            yield f"{running(comparable)} with other settings than {stack.configuration.file.name} gives now; {now}"


def running(found: list[Container]) -> str:
    return f"{', '.join(each.name for each in found)} {'runs' if len(found) == 1 else 'run'}"


def remedy(stack: Stack, service: str, image: str) -> str:
    """Return the command that replaces a service's containers, and its cost."""
    if service in COSTS:
        return f"make up replaces this service: {COSTS[service]}."
    command = "make roll" if images.is_here(stack, image) else "make upgrade"
    return f"{command} replaces this service, and no request fails."


def lasting(stack: Stack, service: str) -> list[Container]:
    if service in FINISHED:
        return []
    return [each for each in stack.containers(service) if each.status == "running"]
