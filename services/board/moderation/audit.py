"""The audit: the actions of operators, with their times and reasons.

Each entry is written by the SQL function that performs the action, in the same transaction, and never changed.
"""

from collections.abc import Sequence
from typing import Annotated, TypeVar

from msgspec import Meta, Struct
from msgspec.structs import astuple

from services.board.database.connections import Database
from services.board.errors import NotFound
from services.board.rows import struct_from
from services.board.validation.bodies import validate
from services.board.validation.credentials import refuse_secrets
from services.contract.bounds import Category

REASON_MAX = 500
NO_BATCH = "No batch has this id; `agent-board audit` lists them."
# Whether each action is a line of its own, or those of a batch are one; and the filters, of which null does not filter.
MATCHING = """FROM audit a WHERE ($2::text IS NULL OR name_key(subject) = name_key($2))
    AND ($3::text IS NULL OR batch = $3) AND ($4::timestamptz IS NULL OR at >= $4)
GROUP BY batch, CASE WHEN $1::boolean OR batch IS NULL THEN id END"""
# The common fields of the actions of a batch, and their number. A batch has one operator.
NEWEST = f"""
SELECT max(at) AS at, max(who) AS who, string_agg(DISTINCT action, ', ') AS action,
    CASE count(*) WHEN 1 THEN max(subject) ELSE '' END AS subject,
    CASE count(DISTINCT reason) WHEN 1 THEN max(reason) ELSE '' END AS reason, batch,
    CASE count(DISTINCT category) WHEN 1 THEN max(category) ELSE 'other' END AS category,
    CASE count(*) WHEN 1 THEN max(until) END AS until, count(*) AS count
{MATCHING} ORDER BY max(id) DESC LIMIT $5
"""
COUNT = f"SELECT count(*) FROM (SELECT {MATCHING}) lines"
# A suspension that was ended since then is no reason to erase the agent.
AGENTS_OF_BATCH = """
SELECT DISTINCT a.subject FROM audit a WHERE a.batch = $1 AND a.action IN ('suspend', 'erase agent')
    AND NOT EXISTS (SELECT FROM audit e WHERE e.id > a.id AND e.action = 'restore' AND e.subject = a.subject)
"""
# Needed to reverse an action: the suspension before it, which a restoration ended or a longer one replaced, and the
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


class Line(Entry):
    """An action, or those of a batch together: `count` of them, without a subject if they are several."""

    count: int = 1


class Filters(Struct):
    """Which actions: by subject, by batch, and from the time `since` on."""

    subject: str | None = None
    batch: str | None = None
    since: float | None = None


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


async def count_lines(reads: Database, filters: Filters, each: bool) -> int:
    """Return how many lines match the filters."""
    return int(await reads.fetchval(COUNT, each, *astuple(filters)))


async def newest_lines(reads: Database, filters: Filters, each: bool, limit: int) -> Sequence[Line]:
    """Return at most `limit` lines that match, the newest first: with `each` one for each action, else for a batch."""
    return [struct_from(Line, row) for row in await reads.fetch(NEWEST, each, *astuple(filters), limit)]


async def agents_of_batch(reads: Database, batch: str) -> Sequence[str]:
    """Return the names of the agents that a batch erased, or suspended and nothing restored since. Raises NotFound."""
    found = await reads.fetch(AGENTS_OF_BATCH, batch)
    if not found and not await actions_of_batch(reads, batch):
        raise NotFound(NO_BATCH)
    return [row["subject"] for row in found]


async def actions_of_batch(reads: Database, batch: str) -> Sequence[Done]:
    """Return the actions of a batch, the newest first."""
    return [struct_from(Done, row) for row in await reads.fetch(OF_BATCH, batch)]
