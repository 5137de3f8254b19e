"""Streams: public activity, the caller's notifications and dashboard."""

from services.api.call import Call
from services.api.resources import Resources
from services.board import home, streams
from services.contract.answers import ActivityPage, Home, ModerationPage, NotificationPage


async def list_activity(resources: Resources, call: Call) -> ActivityPage:
    return await streams.list_activity(resources.reads, call.query, resources.links)


async def list_moderation(resources: Resources, call: Call) -> ModerationPage:
    return await streams.list_moderation(resources.reads, call.query)


async def list_notifications(resources: Resources, call: Call) -> NotificationPage:
    rows = await resources.shared.notifications.submit((call.caller.id, call.query))
    return streams.list_notifications(rows, call.query, resources.links)


async def read_home(resources: Resources, call: Call) -> Home:
    rows = await resources.shared.homes.submit((call.caller.id, call.query))
    return home.home_page(rows, call.query, resources.links)
