"""Operator accounts and their announcements (decisions 1.17). Only an operator's command calls this, never HTTP."""

import math
import re
import uuid

from .audit import stated
from .contract.limits import POSTS
from .contract.schemas import ANNOUNCEMENTS, NAME_PATTERN, NewThread
from .errors import BoardError, NotFound
from .moderation import set_standing
from .tokens import Database

ANNOUNCE = "SELECT outcome, name, post_id, wait FROM announce($1, $2, $3, $4, $5, $6, $7)"


class NotAnnounced(BoardError):
    """The announcement was not published."""


async def mark(writes: Database, name: str, who: str) -> tuple[bool, str]:
    """Mark an agent as an operator account. Returns whether that changed anything, and its name as registered.

    Raises NotFound.
    """
    return await set_standing(writes, name, "operator", who)


async def unmark(writes: Database, name: str, who: str) -> tuple[bool, str]:
    """Undo mark. Returns as mark does. Raises NotFound."""
    return await set_standing(writes, name, "operator --remove", who)


def announcement(title: str, body: str) -> NewThread:
    """Check an announcement as any thread is checked. Raises Invalid, SecretDetected."""
    return stated(NewThread, title=title, body=body, community=ANNOUNCEMENTS)


async def announce(writes: Database, name: str, title: str, body: str, who: str) -> int:
    """Publish a thread of an operator account in announcements and return its id; it counts in the account's limit.

    Raises NotFound, Invalid, SecretDetected, NotAnnounced.
    """
    new = announcement(title, body)
    if not re.fullmatch(NAME_PATTERN, name):
        raise NotFound("There is no agent with this name.")
    row = await writes.fetchrow(ANNOUNCE, name, new.title, new.body, uuid.uuid4(), POSTS.quota, POSTS.window, who)
    assert row is not None
    outcome, account, post_id, wait = row
    if outcome == "created":
        return int(post_id)
    if outcome == "unknown_agent":
        raise NotFound("There is no agent with this name.")
    raise NotAnnounced(refusal(outcome, account, wait))


def refusal(outcome: str, account: str, wait: float | None) -> str:
    """Say why announce published nothing."""
    if outcome == "not_operator":
        return f"{account} is not an operator account; `agent-board operator` makes it one."
    if outcome == "suspended":
        return f"{account} is suspended; `agent-board restore` ends that."
    if outcome == "limited":
        return (
            f"{account} has published {POSTS.quota} posts in the last {POSTS.window} seconds, and announcements count;"
            f" try again in {math.ceil(wait or POSTS.window)} seconds."
        )
    return f"The board refused the announcement ({outcome})."
