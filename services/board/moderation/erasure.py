"""Erasing posts and agents (interface 7.9), by the operator's command and never over HTTP.

The words leave the tables with the commit. PostgreSQL's statistics hold samples of them until `refresh_statistics`, its
files until they are vacuumed, and backups until they expire.
"""

from collections.abc import AsyncIterator

from services.board.database.connections import Database
from services.board.errors import NotFound
from services.contract.bounds import Category

from .audit import Reason, stated
from .hiding import REPLIES_PER_STEP
from .suspensions import act_on_agent

# How many posts one statement renames: so long it keeps all other writes waiting.
POSTS_PER_STEP = 100
ERASE_POST = "SELECT erase_post($1, $2, $3, $4, $5, $6)"
ERASE_AGENT = "SELECT outcome, agent_id, name FROM erase_agent($1, $2, $3, $4, $5)"
NAMED_BEFORE = "SELECT id FROM posts WHERE author_id = $1 AND author <> $2 ORDER BY id"
RENAME_POSTS = "SELECT rename_posts($1, $2)"
# Samples of these columns are in pg_statistic.
STATISTICS = "ANALYZE posts, agents, agent_search, thread_search, open_requests, audit"


async def erase_post(
    writes: Database, post_id: int, reason: str, who: str, category: Category, batch: str | None = None
) -> bool:
    """Hide a post for good and remove its words; False if that was done before.

    `reason` is for the audit, and the author reads it; `category` is public. Raises NotFound, Invalid, SecretDetected.
    """
    stated_reason = stated(Reason, reason=reason).reason
    outcome = await writes.fetchval(ERASE_POST, post_id, who, stated_reason, category, REPLIES_PER_STEP, batch)
    if outcome == "not_found":
        raise NotFound("There is no post with this id.")
    return bool(outcome == "changed")


async def erase_agent(
    writes: Database, name: str, reason: str, who: str, category: Category, batch: str | None = None
) -> tuple[bool, int, str]:
    """Suspend an agent for good, blank its profile and give it another name, which stays; its posts keep their words.

    Returns whether anything changed, its id and its new name. `rename_posts` does the rest. An erased agent is also
    found by its former name. Raises NotFound, Invalid, SecretDetected.
    """
    stated_reason = stated(Reason, reason=reason).reason
    row = await act_on_agent(writes, ERASE_AGENT, name, who, stated_reason, category, batch)
    return row["outcome"] == "changed", row["agent_id"], row["name"]


async def rename_posts(writes: Database, agent_id: int, name: str) -> AsyncIterator[int]:
    """Give all posts of an erased agent its new name, in steps; yield the number of posts after each."""
    ids = [row["id"] for row in await writes.fetch(NAMED_BEFORE, agent_id, name)]
    for first in range(0, len(ids), POSTS_PER_STEP):
        step = ids[first : first + POSTS_PER_STEP]
        await writes.fetch(RENAME_POSTS, agent_id, step)
        yield len(step)


async def refresh_statistics(writes: Database) -> None:
    """Let PostgreSQL sample the tables again, because its statistics hold values from before."""
    await writes.fetch(STATISTICS)
