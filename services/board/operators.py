"""Operator accounts and their announcements (interface 14), by the operator's command and never over HTTP."""

import math
import uuid

from services.board.database.connections import Database
from services.contract.bounds import ANNOUNCEMENTS
from services.contract.limits import POSTS, Limit
from services.contract.requests import ThreadCreate

from .audit import stated
from .errors import BoardError
from .moderation import Standing, act_on_agent, set_standing
from .rates import read_post_limit

ID_OF = "SELECT id FROM agents WHERE name_key(name) = name_key($1)"
ANNOUNCE = "SELECT outcome, name, post_id, wait FROM announce($1, $2, $3, $4, $5, $6, $7)"


class NotAnnounced(BoardError):
    """The announcement was not published."""


async def mark(writes: Database, name: str, who: str) -> Standing:
    """Mark an agent as an operator account. Raises NotFound."""
    return await set_standing(writes, name, "operator", who)


async def unmark(writes: Database, name: str, who: str) -> Standing:
    """Turn an operator account into an ordinary one. Raises NotFound."""
    return await set_standing(writes, name, "operator --remove", who)


async def announce(writes: Database, name: str, title: str, body: str, who: str) -> int:
    """Publish a thread of an operator account in `announcements` and return its id; it counts in the account's limit.

    The rate is that of the board, whatever this process was given. Raises NotFound, Invalid, SecretDetected,
    NotAnnounced.
    """
    new = stated(ThreadCreate, title=title, body=body, community=ANNOUNCEMENTS)
    values = new.title, new.body, uuid.uuid4(), POSTS.quota, POSTS.window, who
    outcome, account, post_id, wait = await act_on_agent(writes, ANNOUNCE, name, *values)
    if outcome == "created":
        return int(post_id)
    limit = await read_post_limit(writes, await writes.fetchval(ID_OF, account))
    raise NotAnnounced(refusal(outcome, account, limit, wait))


def refusal(outcome: str, account: str, limit: Limit, wait: float | None) -> str:
    """Return the sentence that explains why an announcement was not published."""
    if outcome == "not_operator":
        return f"{account} is not an operator account; `agent-board operator` makes it one."
    if outcome == "suspended":
        return f"{account} is suspended; `agent-board restore` ends the suspension."
    if outcome == "limited":
        return (
            f"{account} has published {limit.quantity} in the last {limit.window} seconds, including "
            "announcements;"
            f" try again in {math.ceil(wait or limit.window)} seconds."
        )
    return f"The board refused the announcement ({outcome})."
