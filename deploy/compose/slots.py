"""Replication slots: the log that PostgreSQL keeps for whoever goes on reading there, such as a follower.

A slot that nothing uses keeps up to `max_slot_wal_keep_size` on PostgreSQL's disk.
"""

from deploy.compose.database import value
from deploy.compose.errors import StackError
from deploy.compose.servers import SERVERS, has_three
from deploy.compose.stack import Stack

# Patroni gives the slot of each follower the name of its server.
OF_FOLLOWERS = ", ".join(f"'{each}'" for each in SERVERS)
DROP = f"""
SELECT count(pg_drop_replication_slot(slot_name)) FROM pg_replication_slots
WHERE NOT active AND slot_name IN ({OF_FOLLOWERS})
"""
UNUSED = """
SELECT string_agg(slot_name || ' ('
    || coalesce(pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)), 'nothing') || ')', ', '
    ORDER BY slot_name)
FROM pg_replication_slots WHERE NOT active
"""


def drop(stack: Stack) -> None:
    """Drop the slots that the followers of three servers have left, if there is one server now. Raises StackError."""
    if stack.runs("postgresql") and not has_three(stack.configuration):
        value(stack, DROP)


def check(stack: Stack) -> None:
    """Raise StackError if PostgreSQL keeps log for a slot that nothing uses.

    `cluster.check` reports followers that are away.
    """
    three = has_three(stack.configuration)
    if found := value(stack, f"{UNUSED} AND slot_name NOT IN ({OF_FOLLOWERS})" if three else UNUSED):
        way = "" if three else "make up drops those of servers that the stack no longer has. "
        raise StackError(
            f"PostgreSQL keeps log for replication slots that nothing uses: {found}. {way}"
            "deploy/observability/runbooks/PostgreSQLDisk.md shows how to drop one."
        )
