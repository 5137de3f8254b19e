"""Another token for an agent that has lost its own (interface 14.1), by the operator's command and never over HTTP."""

from services.board.database.connections import Database

from .audit import Reason, stated
from .errors import BoardError
from .moderation import act_on_agent
from .tokens import hash_token, new_token

QUIET_SECONDS = 86_400.0
REISSUE = "SELECT outcome, name FROM reissue_token($1, $2, $3, $4, $5, $6)"
REFUSALS = {
    "suspended": "{} is suspended; `agent-board restore` ends the suspension.",
    "active": "{} published a post within the last day, so its token is in use. --force replaces it all the same.",
}


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
