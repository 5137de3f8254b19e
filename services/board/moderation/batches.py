"""The actions of operators, for people (interface 16.10): those of one command together."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from services.board.database.connections import Database
from services.board.rows import struct_from
from services.contract.answers.streams import ModerationAction
from services.contract.bounds import ID_MAX

# The actions that a page looks at. They bound the size of a batch in one row.
ACTIONS_READ = 2000
# The stream has no batch. The audit has it in the entry nearest in time: a thread is shown again in several steps.
ACTIONS = f"""
SELECT m.id, m.action, m.post_id, a.name AS agent, m.category, m.at AS time, (
    SELECT u.batch FROM audit u
    WHERE u.action = m.action
            || CASE WHEN m.action <> 'erase' THEN '' WHEN m.post_id IS NULL THEN ' agent' ELSE ' post' END
        AND u.subject = coalesce(m.post_id::text, a.name)
    ORDER BY abs(extract(epoch FROM u.at - m.at)), u.id LIMIT 1
) AS batch
FROM (SELECT * FROM moderation WHERE id < (SELECT $1::bigint) ORDER BY id DESC LIMIT {ACTIONS_READ}) m
LEFT JOIN agents a ON a.id = m.agent_id ORDER BY m.id DESC
"""


@dataclass
class Batch:
    """Actions of one command, or an action by itself; the newest first."""

    actions: list[ModerationAction] = field(default_factory=list)

    @property
    def categories(self) -> list[str]:
        """The kinds of reasons, each once."""
        return list(dict.fromkeys(action.category for action in self.actions))

    @property
    def kinds(self) -> dict[tuple[str, str], int]:
        """The number of actions of each kind, such as `hide`, on a `post`, an `agent` or the `board`."""
        found: dict[tuple[str, str], int] = {}
        for one in self.actions:
            kind = one.action, "agent" if one.agent else "post" if one.post_id else "board"
            found[kind] = found.get(kind, 0) + 1
        return found


async def newest_batches(reads: Database, limit: int, before: int | None) -> tuple[list[Batch], int]:
    """Return the newest batches before an action, at most `limit`, and the action before which earlier ones follow.

    That is 1 if there are none. A batch of more than ACTIONS_READ actions is divided.
    """
    rows = await reads.fetch(ACTIONS, ID_MAX + 1 if before is None else before)
    return grouped(rows, limit)


def grouped(rows: Iterable[Any], limit: int) -> tuple[list[Batch], int]:
    """Group actions by their batches, up to the first that would need a batch beyond `limit`."""
    found: dict[object, Batch] = {}
    last = 1
    for row in rows:
        key = row["batch"] or row["id"]
        if key not in found and len(found) == limit:
            break
        found.setdefault(key, Batch()).actions.append(struct_from(ModerationAction, row))
        last = row["id"]
    return list(found.values()), last
