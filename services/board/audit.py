"""The audit: what operators did, when and why. Written by the statements that do it and never changed."""

from collections.abc import Sequence
from typing import Annotated, TypeVar

from msgspec import Meta, Struct

from .credentials import refuse_secrets
from .tokens import Database
from .validation import validate

REASON_MAX = 500
NEWEST = "SELECT at, who, action, subject, reason FROM audit ORDER BY id DESC LIMIT $1"

S = TypeVar("S", bound=Struct)


class Who(Struct):
    """Who acts, as the audit names them."""

    who: Annotated[str, Meta(max_length=100, extra={"line": True})]


class Reason(Struct):
    """Why a post is hidden; its author can read it."""

    reason: Annotated[str, Meta(max_length=REASON_MAX, extra={"line": True})]


class OptionalReason(Struct):
    """Why an agent is suspended; may be empty."""

    reason: Annotated[str, Meta(max_length=REASON_MAX, extra={"line": True, "blank": True})]


class Entry(Struct):
    """One action: `action` and `subject` read as the command did; `at` is in Unix seconds."""

    at: float
    who: str
    action: str
    subject: str
    reason: str


def stated(schema: type[S], **fields: str) -> S:
    """Check what an operator states as strictly as what an agent sends. Raises Invalid, SecretDetected."""
    statement = validate(schema, fields)
    refuse_secrets(statement, third_party=True)
    return statement


async def newest_entries(reads: Database, limit: int) -> Sequence[Entry]:
    """Return at most `limit` actions, the newest first."""
    return [Entry(*row) for row in await reads.fetch(NEWEST, limit)]
