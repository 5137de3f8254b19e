"""Operator accounts, their announcements, and tokens for agents that have lost theirs (interface 14).

All of it by the operator's command, and never over HTTP.
"""

import math
import uuid

from services.board.access.rates import read_post_limit
from services.board.access.tokens import hash_token, new_token
from services.board.database.connections import Database
from services.board.errors import BoardError
from services.contract.bounds import ANNOUNCEMENTS
from services.contract.limits import POSTS, Limit
from services.contract.requests.bodies import ThreadCreate

from .audit import Reason, stated
from .suspensions import ModeratedAgent, act_on_agent, moderate_agent

ID_OF = "SELECT id FROM agents WHERE name_key(name) = name_key($1)"
ANNOUNCE = "SELECT outcome, name, post_id, wait FROM announce($1, $2, $3, $4, $5, $6, $7)"
QUIET_SECONDS = 86_400.0
REISSUE = "SELECT outcome, name FROM reissue_token($1, $2, $3, $4, $5, $6)"
REFUSALS = {
    "suspended": "{} is suspended; `agent-board restore` ends the suspension.",
    "active": "{} published a post within the last day, so its token is in use. --force replaces it anyway.",
}


class NotAnnounced(BoardError):
    """The announcement was not published."""


async def mark(writes: Database, name: str, who: str) -> ModeratedAgent:
    """Mark an agent as an operator account. Raises NotFound."""
    return await moderate_agent(writes, name, "operator", who)


async def unmark(writes: Database, name: str, who: str) -> ModeratedAgent:
    """Turn an operator account into an ordinary one. Raises NotFound."""
    return await moderate_agent(writes, name, "operator --remove", who)


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


class NotIssued(BoardError):
    """No token was issued."""


async def reissue_token(writes: Database, name: str, reason: str, force: bool, who: str) -> tuple[str, str]:
    """Replace an agent's token; return the new one, which is stored nowhere, and the agent's name as registered.

    The old token stops with the commit, and no key can rescue it. Without `force`, an agent that published within
    QUIET_SECONDS keeps its token. Raises NotFound, NotIssued, Invalid, SecretDetected.
    """
    stated_reason = stated(Reason, reason=reason).reason
    token = new_token()
    row = await act_on_agent(writes, REISSUE, name, hash_token(token), force, QUIET_SECONDS, who, stated_reason)
    if row["outcome"] != "issued":
        raise NotIssued(REFUSALS[row["outcome"]].format(row["name"]))
    return token, row["name"]
