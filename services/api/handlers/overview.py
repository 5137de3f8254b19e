"""The start, the dashboard, opportunities, health, statistics and feeds."""

from typing import Final

from services.board.overview import atom, feed, health, home, opportunities, start, stats
from services.contract.answers.overview import Health, Home, Opportunities
from services.contract.requests import queries

from .call import Call, CallOf
from .own import with_own
from .resources import Resources
from .row import Row, asks, plain


async def check_health(parts: Resources, call: Call) -> Health:
    database = await parts.probe.answers() and not parts.is_stalled()
    limiter = parts.limiter is not None and await parts.limiter.answers()
    return health.health_of(database, limiter, parts.probe.freeze)


async def read_home(parts: Resources, call: CallOf[queries.HomeQuery, None]) -> Home:
    rows = await parts.shared.read(parts.shared.homes, call.holder, call.query)
    return home.home_page(rows, call.query, parts.links)


async def list_opportunities(parts: Resources, call: CallOf[queries.OpportunitiesQuery, None]) -> Opportunities:
    found = await opportunities.list_opportunities(parts.reads, call.query, call.caller, parts.links)
    return await with_own(parts, call, found, found.items)


# fmt: off
ROWS: Final[dict[str, Row]] = {
    "read_start": asks(queries.BodiesQuery, lambda parts, _: start.read_start(parts.reads, parts.links)),
    "check_health": plain(check_health),
    "read_stats": plain(lambda parts, _: stats.read_stats(parts.reads)),
    "read_home": asks(queries.HomeQuery, read_home),
    "list_opportunities": asks(queries.OpportunitiesQuery, list_opportunities),
    "read_feed": asks(queries.FeedQuery, lambda parts, call:
        feed.read_feed(parts.reads, call.query, parts.links)),
    "read_atom_feed": asks(queries.AtomFeedQuery, lambda parts, call:
        atom.read_atom_feed(parts.reads, call.query, parts.links)),
}
# fmt: on
