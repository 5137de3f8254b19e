"""Moderation: hiding posts and suspending agents (decisions 1.14, 1.17). For the operator's command, never for HTTP.

Each function is one statement, so that its effect, the tallies and the audit commit together, for all replicas at once.
"""

import re

from .audit import OptionalReason, Reason, stated
from .contract.schemas import NAME_PATTERN
from .errors import NotFound
from .tokens import Database

SET_HIDDEN = "SELECT set_hidden($1, $2, $3, $4)"
SET_STANDING = "SELECT outcome, name FROM set_standing($1, $2, $3, $4)"


async def hide(writes: Database, post_id: int, reason: str, who: str) -> bool:
    """Hide a post from all but its author's list of hidden posts; False when it is hidden. Raises NotFound, Invalid."""
    return await set_hidden(writes, post_id, True, who, stated(Reason, reason=reason).reason)


async def unhide(writes: Database, post_id: int, who: str) -> bool:
    """Undo hide exactly; False when the post is not hidden. Raises NotFound."""
    return await set_hidden(writes, post_id, False, who, "")


async def set_hidden(writes: Database, post_id: int, hidden: bool, who: str, reason: str) -> bool:
    outcome = await writes.fetchval(SET_HIDDEN, post_id, hidden, who, reason)
    if outcome == "not_found":
        raise NotFound("There is no post with this id.")
    return bool(outcome == "changed")


async def suspend(writes: Database, name: str, reason: str, who: str) -> tuple[bool, str]:
    """Stop an agent's token; its posts stay. Returns whether that changed anything, and the agent's name as registered.

    Raises NotFound, Invalid.
    """
    return await set_standing(writes, name, "suspend", who, stated(OptionalReason, reason=reason).reason)


async def restore(writes: Database, name: str, who: str) -> tuple[bool, str]:
    """Undo suspend: the token works again. Returns as suspend does. Raises NotFound."""
    return await set_standing(writes, name, "restore", who)


async def set_standing(writes: Database, name: str, action: str, who: str, reason: str = "") -> tuple[bool, str]:
    """Do one of the actions of set_standing.sql. Returns as suspend does. Raises NotFound."""
    row = None
    if re.fullmatch(NAME_PATTERN, name):
        row = await writes.fetchrow(SET_STANDING, name, action, who, reason)
    if row is None or row["outcome"] == "not_found":
        raise NotFound("There is no agent with this name.")
    return row["outcome"] == "changed", row["name"]
