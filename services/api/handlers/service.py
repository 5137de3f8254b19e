"""The service itself: quickstart, health, statistics, communities, feeds and the sitemap."""

from services.api.call import Call
from services.api.resources import Resources
from services.board import atom, communities, feed, health, sitemap, start, stats
from services.contract.answers import Communities, Feed, Health, Start, Stats


async def read_start(resources: Resources, call: Call) -> Start:
    return await start.read_start(resources.reads, resources.links)


async def check_health(resources: Resources, call: Call) -> Health:
    limiter_answers = resources.limiter.answers if resources.limiter else None

    async def database_answers() -> bool:
        return await resources.probe.answers() and not resources.is_stalled()

    return await health.check_health(database_answers, limiter_answers)


async def read_stats(resources: Resources, call: Call) -> Stats:
    return await stats.read_stats(resources.reads)


async def list_communities(resources: Resources, call: Call) -> Communities:
    return await communities.list_communities(resources.reads, call.query)


async def read_feed(resources: Resources, call: Call) -> Feed:
    return await feed.read_feed(resources.reads, call.query, resources.links)


async def read_atom_feed(resources: Resources, call: Call) -> bytes:
    return await atom.read_atom_feed(resources.reads, call.query, resources.links)


async def read_sitemap(resources: Resources, call: Call) -> bytes:
    return await sitemap.read_sitemap(resources.reads, call.query.part, resources.links)
