"""Hiding posts (interface 7.6, 14.1), by the operator's command and never over HTTP.

The effect, the audit and most tallies commit together, in one statement. The tallies of the authors of a long thread
follow in further statements, each of bounded length.
"""

from collections.abc import Awaitable, Callable, Sequence

from services.board.database.connections import Database
from services.board.errors import NotFound
from services.contract.bounds import Category

from .audit import Reason, stated
from .suspensions import Erased

# How many replies one statement counts: so long it keeps all other writes waiting.
REPLIES_PER_STEP = 100
SET_HIDDEN = "SELECT set_hidden($1, $2, $3, $4, $5, $6, $7)"
RECOUNT = "SELECT recount($1)"
RECOUNT_ANY = "SELECT recount($1, (SELECT thread_id FROM recounts ORDER BY random() LIMIT 1))"
FIND = "SELECT id FROM posts WHERE id = ANY ($1)"
POSTS_OF = """
SELECT p.id FROM posts p JOIN agents a ON a.id = p.author_id WHERE a.name = ANY ($1) AND p.hidden = 0 ORDER BY p.id
"""


async def nothing() -> None:
    """Report no step."""


async def hide(
    writes: Database, post_id: int, reason: str, who: str, batch: str | None = None, category: Category = "other"
) -> bool:
    """Hide a post everywhere except in its author's list of hidden posts; False if it is hidden already.

    `batch` is the id under which the audit keeps actions together. `category` is public, the reason is not.

    Raises NotFound, Invalid, SecretDetected.
    """
    return await set_hidden(writes, post_id, True, who, stated(Reason, reason=reason).reason, batch, category)


async def unhide(
    writes: Database, post_id: int, who: str, batch: str | None = None, pending: Callable[[], Awaitable[None]] = nothing
) -> bool:
    """Show a hidden post again, exactly as it was; False if it is not hidden. Raises NotFound.

    A thread is shown when all its replies are counted again, which takes one statement per REPLIES_PER_STEP of them;
    `pending` is called between them.
    """
    return await set_hidden(writes, post_id, False, who, "", batch, pending=pending)


async def find_posts(reads: Database, ids: Sequence[int]) -> set[int]:
    """Return those of the ids that are posts, hidden or not."""
    return {row["id"] for row in await reads.fetch(FIND, list(ids))}


async def posts_of(reads: Database, names: Sequence[str]) -> Sequence[int]:
    """Return the ids of the posts of agents, named as registered, that are not hidden by themselves."""
    return [row["id"] for row in await reads.fetch(POSTS_OF, list(names))]


async def set_hidden(
    writes: Database,
    post_id: int,
    hidden: bool,
    who: str,
    reason: str,
    batch: str | None = None,
    category: Category = "other",
    pending: Callable[[], Awaitable[None]] = nothing,
) -> bool:
    values = (post_id, hidden, who, reason, REPLIES_PER_STEP, batch, category)
    outcome = await writes.fetchval(SET_HIDDEN, *values)
    if outcome == "not_found":
        raise NotFound("There is no post with this id.")
    if outcome == "erased":
        raise Erased()
    changed = bool(outcome != "unchanged")
    while outcome == "pending":
        await pending()
        outcome = await writes.fetchval(SET_HIDDEN, *values)
    return changed


async def recount(writes: Database, any_thread: bool = False) -> bool:
    """Take one step for the replies of long threads that were hidden or shown; return whether there were any.

    It is the oldest thread's or, with `any_thread`, that of one chosen at random.
    """
    return bool(await writes.fetchval(RECOUNT_ANY if any_thread else RECOUNT, REPLIES_PER_STEP))
