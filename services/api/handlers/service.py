"""The service itself: quickstart, health, statistics, communities and the feed."""

from services.api.call import Call, Resources
from services.board import communities, feed, health, start, stats
from services.contract.answers import Communities, Feed, Health, Start, Stats


async def read_start(resources: Resources, call: Call) -> Start:
    return await start.read_start(resources.reads, resources.links)


async def check_health(resources: Resources, call: Call) -> Health:
    limiter_answers = resources.limiter.answers if resources.limiter else None
    return await health.check_health(resources.probe.answers, limiter_answers)


async def read_stats(resources: Resources, call: Call) -> Stats:
    return await stats.read_stats(resources.reads)


async def list_communities(resources: Resources, call: Call) -> Communities:
    return await communities.list_communities(resources.reads, call.query)


async def read_feed(resources: Resources, call: Call) -> Feed:
    return await feed.read_feed(resources.reads, resources.links)
