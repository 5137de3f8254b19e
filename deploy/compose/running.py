"""Starting and stopping services of the stack, and adding replicas to one of them."""

import os
from collections.abc import Collection

from deploy.compose import secret_files, waiting
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

OTHERS_SECONDS = 180


def start_services(stack: Stack, services: Collection[str], seconds: int, *options: str) -> None:
    # Without a service, `up` would start all of them.
    if not services:
        return
    try:
        wait = ("--wait", "--wait-timeout", str(seconds))
        stack.compose("up", "--detach", "--no-build", *wait, *options, *services)
    except StackError as error:
        raise StackError(f"{error}{causes(stack, services)}") from None


def unwell_services(stack: Stack, services: Collection[str]) -> str:
    found = [name for name in services if {each.well for each in stack.containers(name)} != {True}]
    return (
        f"Warning: the board serves, but not healthy: {', '.join(found)}. docker compose logs shows why."
        if found
        else ""
    )


def causes(stack: Stack, services: Collection[str]) -> str:
    """Return which containers of services are not well, each with the end of its log."""
    unwell = [each for each in stack.containers(*services) if not each.well and each.exit_code + each.restarts]
    return "".join(f"\n{each.name} is {each.status}:{waiting.last_words(stack, each.id, 15)}" for each in unwell)


def make_secrets(stack: Stack) -> None:
    """Create .env and any missing secrets, and print what was created."""
    for path in secret_files.make_secrets(stack.configuration):
        print(f"Created {os.path.relpath(path)}", flush=True)


def down(stack: Stack) -> str:
    """Stop and remove all containers and networks, but not the volumes. Raises StackError."""
    stack.check_engine()
    stack.compose("--profile", "*", "down", "--remove-orphans")
    return "The stack has stopped; its data stays in the volumes."


def doctor(stack: Stack) -> None:
    """Let an API process report what is wrong with the board. Raises StackError."""
    stack.check_engine()
    check_running(stack, "api")
    for what in ("database", "board"):
        stack.compose("exec", "-T", "api", "agent-board", "doctor", what)


def logs(stack: Stack) -> None:
    """Follow the logs of all containers until Ctrl-C. Raises StackError."""
    stack.check_engine()
    check_running(stack)
    try:
        stack.compose("logs", "--follow", "--tail", "100")
    except KeyboardInterrupt:
        return


def check_running(stack: Stack, *services: str) -> None:
    """Raise StackError unless there is a container of these services, or of any."""
    if not stack.containers(*services):
        raise StackError("The stack is not running; start it with make up.")


def set_replicas(stack: Stack, service: str, number: int) -> None:
    """Add or stop replicas of one service without touching the others."""
    # Not `up --no-deps`: it labels new containers with a different configuration, so the next `up` would replace them.
    stack.compose("create", "--no-build", "--no-recreate", "--scale", f"{service}={number}", service)
    created = [each.id for each in stack.containers(service) if each.status == "created"]
    if created:
        stack.docker("start", *created)


def local_url(configuration: Configuration) -> str:
    """Return the address at which this machine itself reaches the load balancer. Raises StackError."""
    bound = configuration.address("BIND")
    host = "127.0.0.1" if bound.is_unspecified else f"[{bound}]" if bound.version == 6 else str(bound)
    return f"{'https' if configuration['TLS_CERTIFICATE'] else 'http'}://{host}:{configuration['PORT']}"
