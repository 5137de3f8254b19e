"""How many connections of PostgreSQL the replicas may need, compared with how many it accepts."""

from collections.abc import Sequence

from deploy.compose.database import SERVER, integer
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

API_CONNECTIONS = 11
"""Connections of one API process besides READ_POOL_SIZE: its other pools, the committer, the change feed, the probe."""
FANOUT_CONNECTIONS = 5
"""Connections of one fan-out process that signs checkpoints: one for each consumer of the log."""
DEFAULT = 100
"""The connections that PostgreSQL accepts by default."""
SPARE = 12
"""For PostgreSQL's superuser, the exporter, a migration, a backup and the operator's commands."""


def connections_needed(stack: Stack, apis: int) -> int:
    """Return how many connections this many API processes may need, with one more of each kind during a roll."""
    reads, fanouts = (int(stack.configuration.number(name)) for name in ("READ_POOL_SIZE", "FANOUT_REPLICAS"))
    return (apis + 1) * (reads + API_CONNECTIONS) + (fanouts + 1) * FANOUT_CONNECTIONS + SPARE


def check_connections(stack: Stack, apis: int) -> None:
    """Raise StackError if PostgreSQL accepts fewer connections than this many API processes may need.

    With the settings in .env, and as it runs.
    """
    if SERVER not in (services := stack.described()["services"]):
        return
    needed, given = connections_needed(stack, apis), configured(services[SERVER]["command"])
    if needed > given:
        raise StackError(
            f"With {apis} API processes, the board may need {needed} connections, and PostgreSQL would accept {given}: "
            f"set POSTGRES_MAX_CONNECTIONS={needed} in .env and run make up, or lower READ_POOL_SIZE."
        )
    if any(each.well for each in stack.containers(SERVER)) and needed > integer(stack, "SHOW max_connections"):
        raise StackError(
            f"With {apis} API processes, the board may need {needed} connections. PostgreSQL does not accept them yet: "
            "first run docker compose up --detach --no-build postgresql in deploy/compose. Calls are answered 503 for "
            "some seconds."
        )


def configured(command: Sequence[str]) -> int:
    """Return the connections that PostgreSQL would accept by its command line."""
    given = [word.partition("=")[2] for word in command if word.startswith("--max_connections=")]
    return int(given[-1]) if given else DEFAULT
