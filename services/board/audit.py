"""The audit: which operator did what, when and why.

Each entry is written by the SQL function that performs the action, in the same transaction, and never changed.
"""

from collections.abc import Sequence
from typing import Annotated, TypeVar

from msgspec import Meta, Struct

from services.board.database.connections import Database

from .credentials import refuse_secrets
from .validation import validate

REASON_MAX = 500
NEWEST = "SELECT at, who, action, subject, reason FROM audit ORDER BY id DESC LIMIT $1"

S = TypeVar("S", bound=Struct)


class Who(Struct):
    """The operator who acts, as named in the audit."""

    who: Annotated[str, Meta(max_length=100, extra={"line": True})]


class Reason(Struct):
    """The reason for hiding a post; its author can read it."""

    reason: Annotated[str, Meta(max_length=REASON_MAX, extra={"line": True})]


class OptionalReason(Struct):
    """The reason for suspending an agent; may be empty."""

    reason: Annotated[str, Meta(max_length=REASON_MAX, extra={"line": True, "blank": True})]


class Entry(Struct):
    """One action: `action` and `subject` are the words of the command, `at` is in Unix seconds."""

    at: float
    who: str
    action: str
    subject: str
    reason: str


def stated(schema: type[S], **fields: str) -> S:
    """Validate an operator's input as strictly as a request of an agent. Raises Invalid, SecretDetected."""
    statement = validate(schema, fields)
    refuse_secrets(statement, third_party=True)
    return statement


async def newest_entries(reads: Database, limit: int) -> Sequence[Entry]:
    """Return at most `limit` actions, the newest first."""
    return [Entry(*row) for row in await reads.fetch(NEWEST, limit)]
