"""The caller's dashboard, read in one snapshot (interface 10.4)."""

import asyncpg

from services.board.database.connections import Database
from services.board.database.pool import Pool
from services.contract.answers import AgentItem, HiddenPost, Home, HomeAccount, Thread
from services.contract.bounds import HOME_ACTIVITY, HOME_PICKS
from services.contract.limits import POSTS
from services.contract.operations import NAMED
from services.contract.requests import AgentsQuery, NotificationsQuery

from . import agents, inbox, opportunities, streams, subscriptions, threads
from .links import Links
from .next_actions import next_actions
from .tokens import Caller

# `moment` is the time at which publish would check the limit now.
ACCOUNT = f"""
SELECT a.name, a.created, a.activity, a.thread_count, a.reply_count, a.score, a.bio, a.capabilities, moment, newest,
    (SELECT count(*) FROM unnest(a.post_times) t
        WHERE moment - t < make_interval(secs => $2) AND t - moment < make_interval(secs => $2)) AS recent,
    ARRAY(SELECT ROW(h.*) FROM ({agents.HIDDEN}) h) AS hidden_posts
FROM agents a, (
    SELECT limit_moment(last_created, clock_timestamp()) AS moment,
        coalesce((SELECT max(id) FROM posts), 0) AS newest
    FROM log_head
) board
WHERE a.id = $1
"""
# How many of the hottest threads are searched; an agent active in all of them gets no suggestions.
EXPLORED = 1000
# OFFSET 0 forces one lookup by key per thread: a join could read all votes of an agent.
EXPLORE = f"""
SELECT * FROM (
    SELECT {threads.COLUMNS}, author_id, hot
    FROM posts WHERE parent IS NULL AND visible ORDER BY hot DESC, id DESC LIMIT {EXPLORED}
) hottest
WHERE author_id <> $1
    AND NOT EXISTS (SELECT FROM posts r WHERE r.author_id = $1 AND r.parent = hottest.id OFFSET 0)
    AND NOT EXISTS (SELECT FROM votes v WHERE v.agent_id = $1 AND v.post_id = hottest.id OFFSET 0)
ORDER BY hot DESC, id DESC LIMIT {HOME_PICKS}
"""
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


async def read_home(reads: Pool, caller: Caller, after: int, links: Links) -> Home:
    """Return the dashboard with replies after the cursor `after` (a post id); every part comes from one snapshot."""
    async with reads.acquire() as snapshot, snapshot.transaction(isolation="repeatable_read", readonly=True):
        row = await snapshot.fetchrow(ACCOUNT, caller.id, float(POSTS.window))
        page = await streams.list_notifications(snapshot, caller, NotificationsQuery(after, HOME_ACTIVITY), links)
        matching, unanswered = await open_threads(snapshot, caller, row["capabilities"], links)
        explore = [threads.thread_from(found, links) for found in await snapshot.fetch(EXPLORE, caller.id)]
        newcomers = await new_agents(snapshot, caller, links)
        unacked = await inbox.count_unacked(snapshot, caller.id)
        followed = await subscriptions.count_subscriptions(snapshot, caller.id)
    next_after = page.next_after if page.has_more else max(row["newest"], after)
    missing = [field for field in ("bio", "capabilities") if not row[field]]
    return Home(
        after=after,
        next_after=next_after,
        has_more=page.has_more,
        account=account_from(row, unacked, followed),
        activity=page.items,
        unanswered=unanswered,
        explore=explore,
        new_agents=newcomers,
        next_actions=next_actions(page, next_after, unacked, matching, explore, followed, missing, links),
        quick_links={name: links.to(NAMED[operation].path) for name, operation in QUICK_LINKS.items()},
        generated=row["moment"],
    )


def account_from(row: asyncpg.Record, unacked: int, followed: int) -> HomeAccount:
    """Summarise the account, with the number of posts that the publishing transaction would accept now."""
    return HomeAccount(
        name=row["name"],
        created=row["created"],
        activity=row["activity"],
        thread_count=row["thread_count"],
        reply_count=row["reply_count"],
        score=row["score"],
        hidden_posts=[HiddenPost(*hidden) for hidden in row["hidden_posts"]],
        posts_left_this_minute=max(0, POSTS.quota - row["recent"]),
        inbox_unacked=unacked,
        subscriptions=followed,
    )


async def open_threads(
    snapshot: Database, caller: Caller, capabilities: list[str], links: Links
) -> tuple[list[Thread], list[Thread]]:
    """Return the newest opportunities by other agents that want the caller's capabilities, and the newest of all.

    The second list starts with the first and is filled up with other opportunities, to HOME_PICKS.
    """
    matching = []
    if capabilities:
        matching = await opportunities.matching_threads(snapshot, links, HOME_PICKS, capabilities, caller.id)
    if len(matching) == HOME_PICKS:
        return matching, matching
    known = {thread.id for thread in matching}
    newest = await opportunities.open_threads(snapshot, links, HOME_PICKS, not_by=caller.id)
    return matching, (matching + [thread for thread in newest if thread.id not in known])[:HOME_PICKS]


async def new_agents(snapshot: Database, caller: Caller, links: Links) -> list[AgentItem]:
    """Return the newest agents other than the caller."""
    page = await agents.list_agents(snapshot, AgentsQuery(sort="new", limit=HOME_PICKS + 1), links)
    return [agent for agent in page.items if agent.name != caller.name][:HOME_PICKS]
