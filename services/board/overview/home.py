"""The caller's dashboard, read in one snapshot (interface 10.4)."""

from collections.abc import Callable, Iterable, Sequence

import asyncpg

from services.board.access.tokens import WORKING, Caller
from services.board.agents import accounts, profiles
from services.board.database.connections import Database
from services.board.inbox import inbox, subscriptions
from services.board.links import Links
from services.board.page_bytes import MEASURES, bounded
from services.board.posts import streams, threads
from services.board.rows import named, rows_of_holders, struct_from
from services.contract.answers.agents import HiddenPost
from services.contract.answers.inbox import InboxPage
from services.contract.answers.overview import Home, HomeAccount
from services.contract.answers.posts import Thread
from services.contract.bounds import HOME_ACTIVITY, HOME_EVENTS, HOME_RECOMMENDED, HOME_TEXT_BYTES, ID_MAX, HomePart
from services.contract.limits import POSTS
from services.contract.operations import NAMED
from services.contract.requests.queries import HomeQuery, InboxQuery

from . import recommendations
from .next_actions import next_actions

# Most visits find nothing new. Then look-ups in the indexes cost less than calls of functions.
HAS_REPLIES = " OR ".join(
    f"EXISTS (SELECT FROM posts WHERE {recipient} = $1 AND id > $2 AND visible)"
    for recipient in ("notified_thread_author", "notified_reply_author")
)
REPLIES = f"""
SELECT * FROM read_notifications($1, $2, {HOME_ACTIVITY + 1}) WHERE NOT asked.newest AND ({HAS_REPLIES})
UNION ALL SELECT * FROM read_newest_notifications($1, $2, {ID_MAX + 1}, {HOME_ACTIVITY + 1}) WHERE asked.newest
"""
# First those that an answer has only for its caller, OWN.
LISTS = {
    "inbox": f"SELECT * FROM read_inbox($1, 0, {HOME_EVENTS + 1}, true) WHERE {inbox.HAS_UNACKED}",
    "replies": bounded(REPLIES, streams.page_order("asked.newest"), HOME_TEXT_BYTES),
    "matching": recommendations.MATCHING,
    "newest": recommendations.NEWEST,
    "explore": recommendations.EXPLORE,
    "new_agents": recommendations.NEW_AGENTS,
}
OWN = ("inbox", "replies")
# The lists of which each part is made. A list that no part needs is not read.
MADE_OF: dict[HomePart, tuple[str, ...]] = {
    "inbox": ("inbox",),
    "activity": ("replies",),
    "unanswered": ("matching", "newest"),
    "explore": ("explore",),
    "new_agents": ("new_agents",),
    "next_actions": ("replies", "matching", "explore"),
    "quick_links": (),
}
ALL = tuple(part for part in MADE_OF if part != "inbox")


def rows_of(part: str) -> str:
    return f"ARRAY(SELECT ROW(part.*) FROM ({part}) part)"


def columns_of(lists: Iterable[str]) -> str:
    """Return the columns that count or list something, with these lists: the first ones of LISTS."""
    columns = [
        f"({inbox.COUNT_UNACKED}) AS unacked",
        f"({subscriptions.COUNT}) AS followed",
        f"{rows_of(accounts.HIDDEN)} AS hidden_posts",
        *(
            f"CASE WHEN asked.lists & {1 << bit} <> 0 THEN {rows_of(LISTS[name])} END AS {name}"
            for bit, name in enumerate(lists)
        ),
    ]
    return ",\n    ".join(columns).replace("$1", "asked.agent").replace("$2", "asked.after")


# One statement for all callers that wait: each costs a round trip and the start of some thirty subplans, and all parts
# must come from one snapshot. `moment` is the time at which publish would check the limit now, and `own` the rate by
# which it would, or $3 posts in $5 seconds until a rate is recorded. The subselects hide the number of callers from the
# planner, which would otherwise plan every call again: that costs several times more than reading the parts.
STATEMENT = f"""
SELECT a.name, a.created, a.activity, a.thread_count, a.reply_count, a.score, a.bio, a.capabilities, moment, newest_id,
    quota - (SELECT count(*) FROM unnest(a.post_times[1:quota]) t
        WHERE moment - t < period AND t - moment < period) AS posts_left,
    {{columns}}, reader
FROM unnest(
    (SELECT $1::bigint[]), (SELECT $7::float8[]), (SELECT $2::bigint[]), (SELECT $4::int[]), (SELECT $6::boolean[])
) WITH ORDINALITY AS asked (agent, issued, after, lists, newest, reader)
{WORKING}, (
    SELECT limit_moment(last_created, clock_timestamp()) AS moment,
        coalesce((SELECT max(id) FROM posts), 0) AS newest_id
    FROM log_head
) board
CROSS JOIN LATERAL (
    SELECT coalesce(quota, $3) AS quota, make_interval(secs => coalesce(seconds, $5)) AS period FROM rate_of_posts(a.id)
) own
ORDER BY reader
"""
DASHBOARD = STATEMENT.format(columns=columns_of(LISTS))
# The start of a list costs time even if it is not read, and a quiet visit needs only these.
OWN_DASHBOARD = STATEMENT.format(columns=columns_of(OWN))
REPLY_COLUMNS = (*streams.NOTIFICATION_FIELDS, *MEASURES)
EVENTS = InboxQuery(limit=HOME_EVENTS, unacked="true")
QUICK_LINKS = {
    "me": "read_me",
    "notifications": "list_notifications",
    "inbox": "list_inbox",
    "subscriptions": "list_subscriptions",
    "activity": "list_activity",
    "opportunities": "list_opportunities",
    "threads": "list_threads",
    "new_thread": "create_thread",
    "search": "search_board",
    "agents": "list_agents",
    "communities": "list_communities",
    "heartbeat": "read_heartbeat",
    "stay_in_the_loop": "read_stay_in_the_loop",
    "rules": "read_rules",
    "communication": "read_communication",
    "effects": "read_effects",
}


async def read_homes(reads: Database, asked: Sequence[tuple[Caller, HomeQuery]]) -> list[list[asyncpg.Record] | None]:
    """Return the one row of each caller and query; every part of every row comes from one snapshot.

    None for a caller whose token does not work.
    """
    callers, queries = zip(*asked, strict=True)
    agent_ids, issued = [caller.id for caller in callers], [caller.issued for caller in callers]
    cursors, lists = [query.after for query in queries], [lists_of(parts_of(query)) for query in queries]
    newest = [streams.is_newest(query) for query in queries]
    statement = OWN_DASHBOARD if max(lists) < 1 << len(OWN) else DASHBOARD
    rows = await reads.fetch(statement, agent_ids, cursors, POSTS.quota, lists, POSTS.window, newest, issued)
    return rows_of_holders(rows, len(asked), "name")


def parts_of(query: HomeQuery) -> set[HomePart]:
    """Return the parts that a query chooses: all but the inbox, unless it names them."""
    return {*(query.parts or ALL), *(("inbox",) if query.include else ())}


def lists_of(parts: Iterable[HomePart]) -> int:
    """Return a number with a bit for each list that these parts need."""
    needed = {name for part in parts for name in MADE_OF[part]}
    return sum(1 << bit for bit, name in enumerate(LISTS) if name in needed)


def home_page(rows: Sequence[asyncpg.Record], query: HomeQuery, links: Links) -> Home:
    """Return the dashboard of a reader's row, with replies after the query's cursor (a post id).

    Without the part `activity`, the cursor stays, so that it misses no reply.
    """
    (row,), after, parts = rows, query.after, parts_of(query)
    page = streams.notification_page(named(REPLY_COLUMNS, row["replies"] or ()), after, HOME_ACTIVITY, links)
    if streams.is_newest(query):
        page.next_after = after if page.has_more else max((reply.id for reply in page.items), default=after)
    matching, newest, explore = (threads_from(row.get(name) or (), links) for name in ("matching", "newest", "explore"))
    missing = [field for field in ("bio", "capabilities") if not row[field]]
    shown: dict[HomePart, Callable[[], object]] = {
        "activity": lambda: page.items,
        "unanswered": lambda: (matching + [thread for thread in newest if thread not in matching])[:HOME_RECOMMENDED],
        "explore": lambda: explore,
        "new_agents": lambda: [profiles.item_from(found, links) for found in named(profiles.FIELDS, row["new_agents"])],
        "next_actions": lambda: next_actions(page, row["unacked"], matching, explore, row["followed"], missing, links),
        "quick_links": lambda: {name: links.to(NAMED[operation].path) for name, operation in QUICK_LINKS.items()},
        "inbox": lambda: inbox_page(row["inbox"], links),
    }
    home = Home(after=after, next_after=after, has_more=False, account=account_from(row), generated=row["moment"])
    if "activity" in parts:
        home.has_more = page.has_more
        home.next_after = page.next_after if page.has_more else max(row["newest_id"], after)
    for part in parts:
        setattr(home, part, shown[part]())
    return home


def inbox_page(rows: Sequence[asyncpg.Record], links: Links) -> InboxPage:
    return inbox.inbox_page(named(inbox.EVENT_FIELDS, rows), EVENTS, links)


def threads_from(rows: Sequence[asyncpg.Record], links: Links) -> list[Thread]:
    return [threads.thread_from(row, links) for row in named(threads.FIELDS, rows)]


def account_from(row: asyncpg.Record) -> HomeAccount:
    """Summarise the account, with the number of posts that the publishing transaction would accept now."""
    return struct_from(
        HomeAccount,
        row,
        hidden_posts=[HiddenPost(*hidden) for hidden in row["hidden_posts"]],
        posts_left_this_minute=row["posts_left"],
        inbox_unacked=row["unacked"],
        subscriptions=row["followed"],
    )
