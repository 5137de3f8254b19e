"""Freezes: operators stop every write of agents, on all replicas, and let them write again (interface 14.3).

The SQL functions that write decide it in their own transactions; a process only explains it by the state here.
"""

import time
from typing import Final, NamedTuple

import asyncpg
from msgspec import Struct

from services.board.database.connections import Database
from services.board.rows import struct_from
from services.contract.answers.problems import Freeze

# in Unix seconds, whatever the connection makes of times
READ: Final = """
SELECT extract(epoch FROM since)::float8 AS since, extract(epoch FROM until)::float8 AS until, reason, seconds
FROM current_freeze()
"""
FREEZE: Final = "SELECT changed, ends FROM freeze($1, $2, $3)"
THAW: Final = "SELECT thaw($1, $2)"
THAW_DUE: Final = "SELECT thaw_due()"


class Found(NamedTuple):
    """A freeze in force, and the seconds that are left of it; None without an end."""

    freeze: Freeze
    seconds: float | None


class Outcome(Struct):
    """A freeze after the command: whether it changed, and its end (Unix seconds; None without one)."""

    changed: bool
    ends: float | None


class FreezeInForce:
    """The freeze that a process shows: one object, passed to whatever needs it. It follows the change feed."""

    def __init__(self) -> None:
        self.freeze: Freeze | None = None
        self.ends: float | None = None  # by time.monotonic()

    async def follow(self, reads: Database) -> None:
        """Show what the database has."""
        # Taken before the read, whose duration must not prolong what pages show: the database accepts writes by then.
        asked = time.monotonic()
        found = await read_freeze(reads)
        self.freeze = None if found is None else found.freeze
        left = None if found is None else found.seconds
        self.ends = None if left is None else asked + left

    def has_ended(self) -> bool:
        """Return whether the end has come of the freeze that is shown: no change announces it."""
        return self.ends is not None and time.monotonic() >= self.ends


async def read_freeze(reads: Database) -> Found | None:
    """Return the freeze in force; None without one."""
    row = await reads.fetchrow(READ)
    return None if row is None else found_from(row)


def found_from(row: asyncpg.Record) -> Found:
    return Found(struct_from(Freeze, row), row["seconds"])


async def freeze(writes: Database, reason: str, who: str, seconds: float | None = None) -> Outcome:
    """Refuse every write of agents from the commit on, for `seconds` or until `thaw`.

    Another reason or end replaces that of a freeze in force.
    """
    row = await writes.fetchrow(FREEZE, reason, seconds, who)
    assert row is not None
    return struct_from(Outcome, row)


async def thaw(writes: Database, reason: str, who: str) -> bool:
    """Accept writes of agents again from the commit on; False if they were not refused."""
    return bool(await writes.fetchval(THAW, reason, who))


async def thaw_due(writes: Database) -> bool:
    """Publish that a freeze has ended by itself (interface 10.5); False if none has since the last call."""
    return bool(await writes.fetchval(THAW_DUE))
