"""The audit: which operator did what, when and why.

Each entry is written by the SQL function that performs the action, in the same transaction, and never changed.
"""

from collections.abc import Sequence
from typing import Annotated, TypeVar

from msgspec import Meta, Struct

from services.board.database.connections import Database
from services.contract.bounds import Category

from .credentials import refuse_secrets
from .validation import validate

REASON_MAX = 500
NEWEST = "SELECT at, who, action, subject, reason, batch, category, until FROM audit ORDER BY id DESC LIMIT $1"
# An action is reversible while it is the last of its kind on its subject. The reverse of a restoration is the
# suspension that it ended, unless that would be over. Nothing reverses an erasure.
REVERSIBLE = """
SELECT a.at, a.who, a.action, a.subject, a.reason, a.batch, a.category, a.until, ended.reason AS ended_reason,
    extract(epoch FROM ended.until - clock_timestamp())::double precision AS seconds
FROM audit a LEFT JOIN LATERAL (
    SELECT e.reason, e.until FROM audit e
    WHERE a.action = 'restore' AND e.action = 'suspend' AND e.subject = a.subject AND e.id < a.id
    ORDER BY e.id DESC LIMIT 1
) ended ON true
WHERE a.batch = $1 AND a.action IN ('hide', 'unhide', 'suspend', 'restore')
    AND (ended.until < clock_timestamp()) IS NOT TRUE AND NOT EXISTS (
    SELECT FROM audit later
    WHERE later.id > a.id AND later.subject = a.subject AND later.action = ANY (
        CASE WHEN a.action IN ('hide', 'unhide') THEN ARRAY['hide', 'unhide', 'erase post']
            ELSE ARRAY['suspend', 'restore', 'erase agent'] END))
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


class Reversible(Entry):
    """An action that can be reversed. A restoration has the reason and the rest of the suspension that it ended."""

    ended_reason: str | None = None
    seconds: float | None = None


def stated(schema: type[S], **fields: str) -> S:
    """Validate an operator's input as strictly as a request of an agent. Raises Invalid, SecretDetected."""
    statement = validate(schema, fields)
    refuse_secrets(statement, third_party=True)
    return statement


async def newest_entries(reads: Database, limit: int) -> Sequence[Entry]:
    """Return at most `limit` actions, the newest first."""
    return [Entry(*row) for row in await reads.fetch(NEWEST, limit)]


async def reversible_entries(reads: Database, batch: str) -> Sequence[Reversible]:
    """Return the actions of a batch, the newest first, without those that a later action has replaced."""
    return [Reversible(*row) for row in await reads.fetch(REVERSIBLE, batch)]
