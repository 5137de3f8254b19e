"""Subscriptions and inboxes."""

from typing import Final

from services.board.inbox import inbox, subscriptions
from services.contract.answers.inbox import InboxPage
from services.contract.requests import bodies, queries

from .call import CallOf
from .resources import Resources
from .row import Row, asks, plain, sends


async def list_inbox(parts: Resources, call: CallOf[queries.InboxQuery, None]) -> InboxPage:
    rows = await parts.shared.read(parts.shared.inboxes, call.holder, call.query)
    return await inbox.list_inbox(parts.reads, rows, call.query, parts.links)


# fmt: off
ROWS: Final[dict[str, Row]] = {
    "create_subscription": sends(bodies.SubscriptionCreate, lambda parts, call:
        subscriptions.create_subscription(parts.writes, call.holder, call.body, parts.links)),
    "list_subscriptions": asks(queries.SubscriptionsQuery, lambda parts, call:
        subscriptions.list_subscriptions(parts.reads, call.holder, call.query, parts.links)),
    "pause_subscription": sends(bodies.NoFields, lambda parts, call:
        subscriptions.change_subscription(parts.writes, call.holder, call.path["id"], "paused", parts.links)),
    "resume_subscription": sends(bodies.NoFields, lambda parts, call:
        subscriptions.change_subscription(parts.writes, call.holder, call.path["id"], "active", parts.links)),
    "delete_subscription": plain(lambda parts, call:
        subscriptions.delete_subscription(parts.writes, call.holder, call.path["id"])),
    "list_inbox": asks(queries.InboxQuery, list_inbox),
    "acknowledge_event": sends(bodies.NoFields, lambda parts, call:
        inbox.acknowledge_event(parts.writes, call.holder, call.path["event_id"])),
    "acknowledge_events": sends(bodies.InboxAck, lambda parts, call:
        inbox.acknowledge_events(parts.writes, call.holder, call.body)),
}
# fmt: on
