"""The servers of PostgreSQL: one, or with patroni.yaml three, of which Patroni makes one the primary."""

from deploy.compose.configuration import Configuration
from deploy.compose.stack import Stack

PATRONI = "patroni.yaml"
FIRST = "postgresql"
SERVERS = (FIRST, "postgresql2", "postgresql3")
ETCD = ("etcd1", "etcd2", "etcd3")
"""The members of etcd, in which the three servers agree on the primary."""


def has_three(configuration: Configuration) -> bool:
    """Return whether the settings choose the three servers."""
    return PATRONI in configuration["COMPOSE_FILE"].split(":")


def servers(configuration: Configuration) -> tuple[str, ...]:
    """Return the services of PostgreSQL."""
    return SERVERS if has_three(configuration) else (FIRST,)


def volume(server: str) -> str:
    """Return the setting that names where a server has its data."""
    return "_".join(filter(None, ["POSTGRES_VOLUME", server.removeprefix(FIRST)]))


def reachable(stack: Stack) -> str:
    """Return a service in whose container programs of PostgreSQL find the primary. Raises StackError."""
    if not has_three(stack.configuration):
        return FIRST
    found = sorted(stack.containers(*SERVERS), key=lambda each: not each.well)
    return next((each.service for each in found if each.status == "running"), FIRST)
