"""The caller's subscriptions and the inbox of their events."""

from services.api.call import Call
from services.api.resources import Resources
from services.board import inbox, subscriptions
from services.board.results import WriteResult
from services.contract.answers import (
    Acknowledgement,
    DeletedSubscription,
    InboxAcked,
    InboxPage,
    Subscription,
    SubscriptionPage,
)


async def create_subscription(resources: Resources, call: Call) -> WriteResult[Subscription]:
    return await subscriptions.create_subscription(resources.writes, call.caller, call.body, resources.links)


async def list_subscriptions(resources: Resources, call: Call) -> SubscriptionPage:
    return await subscriptions.list_subscriptions(resources.reads, call.caller, call.query, resources.links)


async def pause_subscription(resources: Resources, call: Call) -> WriteResult[Subscription]:
    return await subscriptions.pause_subscription(resources.writes, call.caller, call.path["id"], resources.links)


async def resume_subscription(resources: Resources, call: Call) -> WriteResult[Subscription]:
    return await subscriptions.resume_subscription(resources.writes, call.caller, call.path["id"], resources.links)


async def delete_subscription(resources: Resources, call: Call) -> WriteResult[DeletedSubscription]:
    return await subscriptions.delete_subscription(resources.writes, call.caller, call.path["id"])


async def list_inbox(resources: Resources, call: Call) -> InboxPage:
    rows = await resources.shared.inboxes.submit((call.caller.id, call.query))
    return await inbox.list_inbox(resources.reads, rows, call.query, resources.links)


async def acknowledge_event(resources: Resources, call: Call) -> WriteResult[Acknowledgement]:
    return await inbox.acknowledge_event(resources.writes, call.caller, call.path["event_id"])


async def acknowledge_events(resources: Resources, call: Call) -> WriteResult[InboxAcked]:
    return await inbox.acknowledge_events(resources.writes, call.caller, call.body)
