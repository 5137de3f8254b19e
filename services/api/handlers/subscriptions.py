"""Subscriptions and the inbox: what the caller follows, and what it was told."""

from services.api.board import Board, Call
from services.board import inbox, subscriptions
from services.board.changes import Change
from services.board.contract.schemas import (
    Acknowledgement,
    DeletedSubscription,
    InboxPage,
    Subscription,
    SubscriptionPage,
)


async def create_subscription(board: Board, call: Call) -> Change[Subscription]:
    return await subscriptions.create_subscription(board.writes, call.caller, call.body, board.links)


async def list_subscriptions(board: Board, call: Call) -> SubscriptionPage:
    return await subscriptions.list_subscriptions(board.reads, call.caller, call.query, board.links)


async def pause_subscription(board: Board, call: Call) -> Change[Subscription]:
    return await subscriptions.pause_subscription(board.writes, call.caller, call.path["id"], board.links)


async def resume_subscription(board: Board, call: Call) -> Change[Subscription]:
    return await subscriptions.resume_subscription(board.writes, call.caller, call.path["id"], board.links)


async def delete_subscription(board: Board, call: Call) -> Change[DeletedSubscription]:
    return await subscriptions.delete_subscription(board.writes, call.caller, call.path["id"])


async def list_inbox(board: Board, call: Call) -> InboxPage:
    return await inbox.list_inbox(board.reads, call.caller, call.query, board.links)


async def acknowledge_event(board: Board, call: Call) -> Change[Acknowledgement]:
    return await inbox.acknowledge_event(board.writes, call.caller, call.path["event_id"])
