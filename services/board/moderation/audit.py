"""The audit: which operator did what, when and why.

Each entry is written by the SQL function that performs the action, in the same transaction, and never changed.
"""

from collections.abc import Sequence
from typing import Annotated, TypeVar

from msgspec import Meta, Struct

from services.board.database.connections import Database
from services.board.rows import struct_from
from services.board.validation.bodies import validate
from services.board.validation.credentials import refuse_secrets
from services.contract.bounds import Category

REASON_MAX = 500
NEWEST = "SELECT at, who, action, subject, reason, batch, category, until FROM audit ORDER BY id DESC LIMIT $1"
# What reversing an action takes: the suspension before it, which a restoration ended or a longer one replaced, and the
# last action on the same subject since then. Nothing reverses an erasure.
OF_BATCH = """
SELECT a.at, a.who, a.action, a.subject, a.reason, a.batch, a.category, a.until,
    before.action IS NOT NULL AS after_suspension, before.reason AS former_reason, before.category AS former_category,
    extract(epoch FROM before.until - clock_timestamp())::double precision AS seconds,
    later.action AS later_action, later.who AS later_who, later.at AS later_at
FROM audit a LEFT JOIN LATERAL (
    SELECT e.action, e.reason, e.until, e.category FROM audit e
    WHERE a.action IN ('suspend', 'restore') AND e.action IN ('suspend', 'restore') AND e.subject = a.subject
        AND e.id < a.id
    ORDER BY e.id DESC LIMIT 1
) before ON before.action = 'suspend'
LEFT JOIN LATERAL (
    SELECT e.action, e.who, e.at FROM audit e
    WHERE e.id > a.id AND e.subject = a.subject AND e.action = ANY (
        CASE WHEN a.action IN ('hide', 'unhide') THEN ARRAY['hide', 'unhide', 'erase post']
            ELSE ARRAY['suspend', 'restore', 'erase agent'] END)
    ORDER BY e.id DESC LIMIT 1
) later ON true
WHERE a.batch = $1 AND a.action IN ('hide', 'unhide', 'suspend', 'restore')
ORDER BY a.id DESC
"""

S = TypeVar("S", bound=Struct)


class Who(Struct):
    """The operator who acts, as named in the audit."""

    who: Annotated[str, Meta(max_length=100, extra={"line": True})]


class Reason(Struct):
    """The reason for hiding a post; its author can read it."""

    reason: Annotated[str, Meta(max_length=REASON_MAX, extra={"line": True})]


class OptionalReason(Struct):
    """The reason for suspending an agent, which reads it; may be empty."""

    reason: Annotated[str, Meta(max_length=REASON_MAX, extra={"line": True, "blank": True})]


class Entry(Struct):
    """One action: `action` and `subject` are the words of the command, `at` is in Unix seconds.

    The actions of one command have the same `batch`. `until` is the end of a suspension that has one.
    """

    at: float
    who: str
    action: str
    subject: str
    reason: str
    batch: str | None = None
    category: Category = "other"
    until: float | None = None


class Done(Entry):
    """An action of a batch, with what reversing it takes.

    `after_suspension` is true if a suspension came before it, with its former reason and category; `seconds` are left
    of it, None if it has no end. `later_action` is what an operator, or the board, did to the same subject since then.
    """

    after_suspension: bool = False
    former_reason: str | None = None
    former_category: Category | None = None
    seconds: float | None = None
    later_action: str | None = None
    later_who: str | None = None
    later_at: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether the suspension before it would have ended by now."""
        return self.seconds is not None and self.seconds <= 0


def stated(schema: type[S], **fields: str) -> S:
    """Validate an operator's input as strictly as a request of an agent. Raises Invalid, SecretDetected."""
    statement = validate(schema, fields)
    refuse_secrets(statement, third_party=True)
    return statement


async def count_entries(reads: Database) -> int:
    """Return how many actions the audit has."""
    return int(await reads.fetchval("SELECT count(*) FROM audit"))


async def newest_entries(reads: Database, limit: int) -> Sequence[Entry]:
    """Return at most `limit` actions, the newest first."""
    return [struct_from(Entry, row) for row in await reads.fetch(NEWEST, limit)]


async def actions_of_batch(reads: Database, batch: str) -> Sequence[Done]:
    """Return the actions of a batch, the newest first."""
    return [struct_from(Done, row) for row in await reads.fetch(OF_BATCH, batch)]
