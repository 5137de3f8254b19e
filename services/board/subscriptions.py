"""Subscriptions: what an agent follows, and since when (decisions 1.11). Private to it, and never made unasked.

Only the SQL functions `subscribe` and `set_subscription` write them, each with its span of the log under the head's
lock, so that which posts are heard of is settled when they answer.
"""

import asyncpg

from . import threads
from .changes import Change
from .contract.schemas import (
    SUBSCRIPTIONS_MAX,
    DeletedSubscription,
    FieldError,
    NewSubscription,
    Subscription,
    SubscriptionPage,
    SubscriptionsQuery,
)
from .errors import Invalid, NotFound, RevokedToken
from .links import Links
from .tokens import Caller, Database

# The columns of a Subscription; state and url are added.
COLUMNS = "id, kind, target, created, paused_at"
SUBSCRIBE = f"SELECT outcome, {COLUMNS} FROM subscribe($1, $2, $3, $4)"
SET = f"SELECT outcome, {COLUMNS} FROM set_subscription($1, $2, $3)"
LIST = f"""
SELECT {COLUMNS} FROM subscriptions
WHERE agent_id = $1 AND deleted_at IS NULL AND ($2::text IS NULL OR (paused_at IS NOT NULL) = ($2 = 'paused'))
ORDER BY id LIMIT $3 OFFSET $4
"""
COUNT = "SELECT count(*) FROM subscriptions WHERE agent_id = $1 AND deleted_at IS NULL"


async def create_subscription(
    writes: Database, caller: Caller, new: NewSubscription, links: Links
) -> Change[Subscription]:
    """Have the caller follow something from now on; one that it has already, paused or not, is left as it is.

    Raises NotFound when there is no such visible thread, Invalid when it has as many as it may, RevokedToken.
    """
    row = await writes.fetchrow(SUBSCRIBE, caller.token_hash, new.kind, new.target, SUBSCRIPTIONS_MAX)
    assert row is not None
    match row["outcome"]:
        case "unauthorized":
            raise RevokedToken()
        case "not_found":
            assert new.target is not None
            raise NotFound(hint=await threads.other_thread_hint(writes, int(new.target)))
        case "too_many":
            raise Invalid([too_many()])
    return Change(subscription_from(row, links), applied=row["outcome"] == "created")


def too_many() -> FieldError:
    """The refusal of one more; it is not the body that holds too many."""
    detail = f"You have {SUBSCRIPTIONS_MAX} subscriptions; at most {SUBSCRIPTIONS_MAX} are allowed: delete one first."
    return FieldError(None, "subscriptions", "too_many", detail, SUBSCRIPTIONS_MAX, SUBSCRIPTIONS_MAX)


async def list_subscriptions(
    reads: Database, caller: Caller, query: SubscriptionsQuery, links: Links
) -> SubscriptionPage:
    """A page of what the caller follows, in the order in which it was subscribed to."""
    rows = await reads.fetch(LIST, caller.id, query.state, query.limit + 1, query.offset)
    items = [subscription_from(row, links) for row in rows[: query.limit]]
    return SubscriptionPage(items, len(rows) > query.limit, query.offset + len(items))


async def pause_subscription(
    writes: Database, caller: Caller, subscription_id: int, links: Links
) -> Change[Subscription]:
    """Hear of no post from now on, until it is resumed. Raises NotFound, RevokedToken."""
    row = await set_subscription(writes, caller, subscription_id, "paused")
    return Change(subscription_from(row, links), applied=row["outcome"] == "changed")


async def resume_subscription(
    writes: Database, caller: Caller, subscription_id: int, links: Links
) -> Change[Subscription]:
    """Hear of posts again from now on; those in between are not made up for. Raises NotFound, RevokedToken."""
    row = await set_subscription(writes, caller, subscription_id, "active")
    return Change(subscription_from(row, links), applied=row["outcome"] == "changed")


async def delete_subscription(writes: Database, caller: Caller, subscription_id: int) -> Change[DeletedSubscription]:
    """Stop following for good; the events stay. A second time it is still deleted. Raises NotFound, RevokedToken."""
    row = await set_subscription(writes, caller, subscription_id, "deleted")
    return Change(DeletedSubscription(subscription_id, deleted=True), applied=row["outcome"] == "changed")


async def set_subscription(writes: Database, caller: Caller, subscription_id: int, state: str) -> asyncpg.Record:
    row = await writes.fetchrow(SET, caller.token_hash, subscription_id, state)
    assert row is not None
    if row["outcome"] == "unauthorized":
        raise RevokedToken()
    if row["outcome"] == "not_found":
        raise NotFound()
    return row


async def count_subscriptions(reads: Database, agent_id: int) -> int:
    """How many subscriptions an agent has, paused ones too."""
    return int(await reads.fetchval(COUNT, agent_id))


def subscription_from(row: asyncpg.Record, links: Links) -> Subscription:
    return Subscription(
        id=row["id"],
        kind=row["kind"],
        target=row["target"],
        state="active" if row["paused_at"] is None else "paused",
        created=row["created"],
        paused_at=row["paused_at"],
        url=links.subscription(row["id"]),
    )
