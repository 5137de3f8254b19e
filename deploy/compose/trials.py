"""Tries the services that a wrong setting would break before anything is replaced.

A copy of the service starts next to the running one, without its port and PostgreSQL's data, and with the given
settings.
"""

import errno
import socket
from collections.abc import Collection
from typing import Final

from deploy.compose import waiting
from deploy.compose.database import in_volume
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

ALONE: Final = ("valkey", "haproxy", "postgresql")
"""Their former container stops before the new one starts."""
FOLDER: Final = "/var/lib/postgresql/trial"
# Another major version cannot read the board's data, and a wrong POSTGRES_VOLUME has none.
COMPARE: Final = f"""
if cmp -s {FOLDER}/PG_VERSION "$PGDATA/PG_VERSION"; then echo POSTGRES_VOLUME; fi
if [ -w /var/lib/pgbackrest ]; then echo BACKUP_REPOSITORY; fi
rm -rf {FOLDER}
"""
NOT_USABLE: Final = {
    "POSTGRES_VOLUME": "POSTGRES_VOLUME has no data of the board that this version of PostgreSQL reads.",
    "BACKUP_REPOSITORY": "BACKUP_REPOSITORY is no directory that belongs to RUN_AS_UID.",
}


def check_machine(stack: Stack) -> None:
    """Raise StackError if this machine, or the files of Compose, do not have what the settings name."""
    check_profiles(stack)
    check_address(stack)
    check_network(stack)


def check_profiles(stack: Stack) -> None:
    """Raise StackError if COMPOSE_PROFILES names a profile that no service has."""
    there = stack.ask("config", "--profiles").split()
    for name in filter(None, stack.configuration["COMPOSE_PROFILES"].split(",")):
        if name not in there:
            raise StackError(f"COMPOSE_PROFILES names {name}, which is no profile; there are {', '.join(there)}.")


def check_address(stack: Stack) -> None:
    """Raise StackError if the load balancer could not listen where BIND and PORT want it to."""
    host, port = str(stack.configuration.address("BIND")), stack.configuration.whole("PORT", 65535)
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                raise StackError(f"BIND {host} is not an address of this machine.") from None
            if error.errno == errno.EADDRINUSE and port not in published(stack):
                raise StackError(
                    f"Cannot listen on {host}:{port}: it is in use. Set PORT in .env, and BASE_URL with it."
                ) from None


def check_network(stack: Stack) -> None:
    """Raise StackError if EDGE_SUBNET is not that of the running network: no roll replaces a network."""
    network = stack.described()["networks"]["edge"]
    wanted = network["ipam"]["config"][0]["subnet"]
    try:
        found = stack.docker("network", "inspect", "--format", "{{(index .IPAM.Config 0).Subnet}}", network["name"])
    except StackError:
        # The first start makes it.
        return
    if found.strip() != wanted:
        raise StackError(f"EDGE_SUBNET is {wanted}, but the network has {found.strip()}: run make down and make up.")


def published(stack: Stack) -> set[int]:
    """Return the ports of this machine on which the load balancer listens. Raises StackError."""
    running = [each.id for each in stack.containers("haproxy") if each.status == "running"]
    return {int(line.rpartition(":")[2]) for each in running for line in stack.docker("port", each).splitlines()}


def check(stack: Stack, services: Collection[str]) -> None:
    """Raise StackError if one of these services could not start with the given settings."""
    for service in services:
        if service == "postgresql":
            check_postgresql(stack)
        else:
            attempt(stack, service)


def check_postgresql(stack: Stack) -> None:
    """Raise StackError unless PostgreSQL starts, with a small database of its own, and could read the board's."""
    command = (*stack.described()["services"]["postgresql"]["command"], "--archive_mode=off", "--fsync=off")
    # It shares a disk with the board, which must not wait for it.
    options = ("--env", f"PGDATA={FOLDER}", "--env", "POSTGRES_INITDB_ARGS=--no-sync")
    try:
        attempt(stack, "postgresql", *command, options=options)
    finally:
        usable = in_volume(stack, COMPARE).split()
    for name, reason in NOT_USABLE.items():
        if name not in usable:
            raise StackError(f"{reason} Nothing was replaced.")


def attempt(stack: Stack, service: str, *command: str, options: Collection[str] = ()) -> None:
    """Start a copy of a service and remove it. Raises StackError unless it becomes healthy."""
    name = f"{stack.project}-trial"
    # A command that was killed may have left it.
    stack.discard("trial")
    try:
        stack.ask("run", "--detach", "--no-deps", "--name", name, *options, service, *command)
        waiting.until(lambda: is_healthy(stack, name), 120, f"{service} did not become healthy.")
    except StackError as error:
        raise StackError(f"With these settings, {service} cannot start; nothing was replaced. {error}") from None
    finally:
        stack.discard("trial")


def is_healthy(stack: Stack, name: str) -> bool:
    """Return whether a container is healthy. Raises StackError if it has exited."""
    status, health = stack.docker("inspect", "--format", "{{.State.Status}} {{.State.Health.Status}}", name).split()
    if status != "running":
        raise StackError(f"Its last log lines:{waiting.last_words(stack, name)}")
    return health == "healthy"
