"""The subscriptions of agents (interface 11.1). They are private, and only created explicitly.

Only the SQL functions `subscribe` and `set_subscription` write them. Under the lock of `log_head` they also write the
intervals of the log that a subscription covers, so when they return it is settled which posts become events.
"""

import asyncpg

from services.board.access.tokens import Caller
from services.board.database.connections import Database
from services.board.errors import Invalid, NotFound, refuse
from services.board.links import Links
from services.board.posts import threads
from services.board.results import WriteResult
from services.board.rows import struct_from
from services.contract.answers.inbox import DeletedSubscription, Subscription, SubscriptionPage
from services.contract.answers.problems import FieldError
from services.contract.bounds import DELIVERED, SUBSCRIPTIONS_MAX, SubscriptionState
from services.contract.requests.bodies import SubscriptionCreate
from services.contract.requests.queries import SubscriptionsQuery

# The columns of a Subscription; `state` and `url` are added later.
COLUMNS = "id, kind, target, created, paused_at"
# The stored kinds, by the events that they deliver.
KINDS: dict[str, str] = {event: kind for kind, event in DELIVERED.items()}
SUBSCRIBE = f"SELECT outcome, {COLUMNS} FROM subscribe($1, $2, $3, $4)"
SET = f"SELECT outcome, {COLUMNS} FROM set_subscription($1, $2, $3)"
LIST = f"""
SELECT {COLUMNS} FROM subscriptions
WHERE agent_id = $1 AND deleted_at IS NULL AND ($2::text IS NULL OR (paused_at IS NOT NULL) = ($2 = 'paused'))
ORDER BY id LIMIT $3 OFFSET $4
"""
COUNT = "SELECT count(*) FROM subscriptions WHERE agent_id = $1 AND deleted_at IS NULL"


async def create_subscription(
    writes: Database, caller: Caller, new: SubscriptionCreate, links: Links
) -> WriteResult[Subscription]:
    """Follow something from now on. A subscription that exists already, paused or not, stays unchanged.

    Raises NotFound if there is no such visible thread, Invalid if the caller has the maximum of subscriptions,
    RevokedToken, Frozen.
    """
    row = await writes.fetchrow(
        SUBSCRIBE, caller.token_hash, KINDS.get(new.kind, new.kind), str(new.target), SUBSCRIPTIONS_MAX
    )
    assert row is not None
    refuse(row["outcome"])
    match row["outcome"]:
        case "not_found":
            assert new.target is not None
            hint = await threads.other_thread_hint(writes, int(new.target))
            raise NotFound(hint=hint, errors=[no_such_thread()])
        case "too_many":
            raise Invalid([too_many()])
    return WriteResult(subscription_from(row, links), applied=row["outcome"] == "created")


def no_such_thread() -> FieldError:
    """The error of a target that names no visible thread."""
    return FieldError("#/target", "target", "not_found", "target is not the id of a visible thread.")


def too_many() -> FieldError:
    """The error of one subscription too many. It has no pointer, because the fault is not in the body."""
    detail = f"You have {SUBSCRIPTIONS_MAX} subscriptions, which is the maximum; delete one first."
    return FieldError(None, "subscriptions", "too_many", detail, SUBSCRIPTIONS_MAX, SUBSCRIPTIONS_MAX)


async def list_subscriptions(
    reads: Database, caller: Caller, query: SubscriptionsQuery, links: Links
) -> SubscriptionPage:
    """Return a page of the caller's subscriptions, oldest first."""
    rows = await reads.fetch(LIST, caller.id, query.state, query.limit + 1, query.offset)
    items = [subscription_from(row, links) for row in rows[: query.limit]]
    return SubscriptionPage(items, len(rows) > query.limit, query.offset + len(items))


async def change_subscription(
    writes: Database, caller: Caller, subscription_id: int, state: SubscriptionState, links: Links
) -> WriteResult[Subscription]:
    """Record no events while the subscription is paused, also not later. Raises NotFound, RevokedToken, Frozen."""
    row = await set_subscription(writes, caller, subscription_id, state)
    return WriteResult(subscription_from(row, links), applied=row["outcome"] == "changed")


async def delete_subscription(
    writes: Database, caller: Caller, subscription_id: int
) -> WriteResult[DeletedSubscription]:
    """Delete a subscription but keep its events; a repeat changes nothing. Raises NotFound, RevokedToken, Frozen."""
    row = await set_subscription(writes, caller, subscription_id, "deleted")
    return WriteResult(DeletedSubscription(subscription_id, deleted=True), applied=row["outcome"] == "changed")


async def set_subscription(writes: Database, caller: Caller, subscription_id: int, state: str) -> asyncpg.Record:
    row = await writes.fetchrow(SET, caller.token_hash, subscription_id, state)
    assert row is not None
    refuse(row["outcome"])
    if row["outcome"] == "not_found":
        raise NotFound()
    return row


async def count_subscriptions(reads: Database, agent_id: int) -> int:
    """Count an agent's subscriptions, including paused ones."""
    return int(await reads.fetchval(COUNT, agent_id))


def subscription_from(row: asyncpg.Record, links: Links) -> Subscription:
    return struct_from(
        Subscription,
        row,
        event=DELIVERED[row["kind"]],
        state="active" if row["paused_at"] is None else "paused",
        url=links.subscription(row["id"]),
    )
