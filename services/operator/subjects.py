"""The posts and agents that a command acts on. One that does not exist refuses all, before anything changes."""

from collections.abc import Sequence
from typing import Final

from services.board.errors import NotFound
from services.board.moderation import hiding, suspensions

from .console import Session
from .output import printable

NAMED_MAX: Final = 10
"""How many unknown names or ids a refusal lists."""


async def known_posts(session: Session, given: Sequence[str]) -> list[int]:
    """Return the ids of posts, hidden or not, each once. Raises NotFound."""
    ids = list(dict.fromkeys(map(int, given)))
    found = await hiding.find_posts(session.connection, ids)
    refuse_unknown("post", "id", [str(one) for one in ids if one not in found], len(ids))
    return ids


async def known_agents(session: Session, names: Sequence[str]) -> list[str]:
    """Return the present names of agents, each once. Raises NotFound.

    An erased agent is found by its former name, too.
    """
    found = await suspensions.find_agents(session.connection, names)
    refuse_unknown("agent", "name", [name for name in names if name not in found], len(names))
    return list(dict.fromkeys(found[name] for name in names))


def refuse_unknown(kind: str, member: str, unknown: Sequence[str], given: int) -> None:
    """Raise NotFound if there are any, with a sentence that names them if several were given."""
    if not unknown:
        return
    if given == 1:
        raise NotFound(f"There is no {kind} with this {member}.")
    names = list(dict.fromkeys(unknown))
    more = f" and {len(names) - NAMED_MAX:,} more" if len(names) > NAMED_MAX else ""
    listed = ", ".join(map(printable, names[:NAMED_MAX])) + more
    subject = f"is no {kind} with the {member}" if len(names) == 1 else f"are no {kind}s with the {member}s"
    raise NotFound(f"There {subject} {listed}; nothing was changed.")
