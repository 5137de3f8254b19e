"""How many connections of PostgreSQL the replicas may need, compared with how many it accepts."""

from deploy.compose.database import integer
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

API_CONNECTIONS = 11
"""Connections of one API process besides READ_POOL_SIZE: its other pools, the committer, the change feed, the probe."""
FANOUT_CONNECTIONS = 7
"""Connections of one fan-out process that signs checkpoints: one for each consumer of the log."""
SPARE = 12
"""For PostgreSQL's superuser, the exporter, a migration, a backup and the operator's commands."""


def connections_needed(stack: Stack, apis: int) -> int:
    """Return how many connections this many API processes may need, with one more of each kind during a roll."""
    reads, fanouts = (int(stack.configuration.number(name)) for name in ("READ_POOL_SIZE", "FANOUT_REPLICAS"))
    return (apis + 1) * (reads + API_CONNECTIONS) + (fanouts + 1) * FANOUT_CONNECTIONS + SPARE


def check_connections(stack: Stack, apis: int) -> None:
    """Raise StackError if the running PostgreSQL accepts fewer connections than this many API processes may need."""
    needed, accepted = connections_needed(stack, apis), integer(stack, "SHOW max_connections")
    if needed > accepted:
        raise StackError(
            f"With {apis} API processes, the board may need {needed} connections, and PostgreSQL accepts {accepted}: "
            f"set POSTGRES_MAX_CONNECTIONS={needed} in .env and run make up, which restarts PostgreSQL, or lower "
            "READ_POOL_SIZE."
        )
