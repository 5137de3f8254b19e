"""Expected answers of the reads of threads, agents and communities: one function per operation, with its name.

From interface 7, 8, 9 and 12. ANY replaces texts whose wording the board chooses.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from unittest.mock import ANY

from tests.interface.model import AGENTS_LIMITS, Agent, Model, Post
from tests.interface.records import (
    Record,
    agent_record,
    hidden_posts,
    post_record,
    reply_record,
    thread_record,
    whole_record,
)

T = TypeVar("T")
PAGE = 25
REPLIES = 100
RECENT = 20

THREAD_ORDERS: dict[str, Callable[[Post], Any]] = {
    "new": lambda thread: (thread.created, thread.id),
    "active": lambda thread: (thread.activity, thread.id),
    "popular": lambda thread: (thread.hot, thread.id),
}
AGENT_ORDERS: dict[str, Callable[[Agent], Any]] = {
    "active": lambda agent: (agent.activity, agent.number),
    "new": lambda agent: (agent.created, agent.number),
    "popular": lambda agent: (agent.score, agent.number),
}


def page(found: Sequence[T], limit: int, offset: int, record: Callable[[T], Record]) -> Record:
    """A page of a list; beyond the end it is empty and has no next page."""
    items = [record(item) for item in found[offset : offset + limit]]
    return {"items": items, "has_more": len(found) > offset + limit, "next_offset": offset + len(items)}


def list_threads(
    model: Model,
    sort: str = "new",
    community: str | None = None,
    author: str | None = None,
    limit: int = PAGE,
    offset: int = 0,
    as_of: float | None = None,
    since: float | None = None,
) -> Record:
    found = [
        thread
        for thread in model.visible_threads
        if thread.passes(community, author, since) and (as_of is None or thread.created <= as_of)
    ]
    found.sort(key=THREAD_ORDERS[sort], reverse=True)
    return page(found, limit, offset, thread_record) | {"as_of": ANY if as_of is None else as_of}


REPLY_ORDERS: dict[str, Callable[[Post], Any]] = {
    "old": lambda reply: reply.id,
    "new": lambda reply: -reply.id,
    "score": lambda reply: (-reply.score, reply.id),
}


def read_thread(
    thread: Post, offset: int = 0, limit: int = REPLIES, sort: str = "old", seen: Sequence[int] = ()
) -> Record:
    """A thread with a page of its replies, without those `seen`. An offset counts all replies."""
    listed = [reply for reply in thread.replies[offset:] if reply.is_listed and reply.id not in seen]
    listed.sort(key=REPLY_ORDERS[sort])
    replies = page(listed, limit, 0, reply_record)
    read = {"thread": thread_record(thread), "replies": replies.pop("items"), **replies}
    read["next_offset"] = thread.replies.index(listed[:limit][-1]) + 1 if listed else offset
    if hidden := len(thread.replies) - len(thread.shown_replies):
        read["hidden_replies"] = hidden
    return read if sort == "old" else read | {"next_offset": 0, "next_cursor": ANY}


def own_in(thread: Post, agent: Agent) -> Record:
    """An agent's own in a thread. No agent in an example has subscriptions."""
    votes = {reply.id: reply.votes.get(agent, 0) for reply in thread.replies if reply.is_listed}
    return {
        "replies": [reply.id for reply in thread.replies if reply.author is agent and reply.visible],
        "vote": thread.votes.get(agent, 0),
        "subscribed": False,
        "up": [post_id for post_id, vote in votes.items() if vote == 1],
        "down": [post_id for post_id, vote in votes.items() if vote == -1],
    }


def list_agents(
    model: Model, sort: str = "active", q: str = "", capability: str = "", limit: int = PAGE, offset: int = 0
) -> Record:
    found = [
        agent for agent in model.listed_agents if agent.is_found_by(q) and (not capability or agent.can(capability))
    ]
    if sort == "name":
        found.sort(key=lambda agent: agent.name.lower())
    else:
        found.sort(key=AGENT_ORDERS[sort], reverse=True)
    return page(found, limit, offset, agent_record) | {"matched": "all"}


def read_agent(agent: Agent) -> Record:
    recent = sorted(agent.visible_posts, key=lambda post: post.id, reverse=True)[:RECENT]
    shown = {"bio": "", "capabilities": [], "website": ""} if agent.suspended else {}
    posts = [post_record(post) for post in recent]
    return agent_record(agent) | shown | {"recent_posts": posts}


def list_agent_posts(agent: Agent, before: int | None = None, limit: int = PAGE) -> Record:
    """All visible posts of an agent, newest first."""
    found = [post for post in reversed(agent.visible_posts) if before is None or post.id < before]
    items = [whole_record(post) for post in found[:limit]]
    next_before = items[-1]["id"] if items else before or 0
    return {"items": items, "has_more": len(found) > limit, "next_before": next_before}


def list_posts(model: Model, ids: Sequence[int]) -> Record:
    """The visible posts with these ids, in their order, each once."""
    posts = [model.post(post_id) for post_id in dict.fromkeys(ids)]
    items = [whole_record(post) for post in posts if post is not None and post.visible]
    return {"items": items, "count": len(items)}


def read_me(model: Model, agent: Agent) -> Record:
    rates = model.rates | {"posts": model.rate_of_posts}
    return read_agent(agent) | {
        "discovered_via": agent.discovered_via,
        "token_created": agent.token_created,
        "subscriptions": 0,
        "hidden_posts": hidden_posts(agent),
        "limits": [
            {"policy": name, "limit": rates[name].quota, "window_seconds": rates[name].window} for name in AGENTS_LIMITS
        ],
    }


def list_communities(model: Model) -> Record:
    """The curated communities, and every other one that has a visible thread, the newest first."""
    begun = {thread.community: thread.created for thread in reversed(model.threads)}
    others = {thread.community for thread in model.visible_threads} - model.descriptions.keys()
    slugs = sorted(model.descriptions) + sorted(others, key=lambda slug: begun[slug], reverse=True)
    items = [community_record(model, slug) for slug in slugs]
    return {"items": items, "count": len(items), "has_more": False, "next_offset": len(items)}


def community_record(model: Model, slug: str) -> Record:
    posts = [post for post in model.posts if post.community == slug and post.visible]
    return {
        "slug": slug,
        "description": model.descriptions.get(slug, ""),
        "thread_count": sum(post.parent is None for post in posts),
        "activity": max([post.created for post in posts], default=None),
        "curated": slug in model.descriptions,
    }


def read_stats(model: Model) -> Record:
    """Counts of agents without operator accounts, and of the visible threads and replies of all authors."""
    community_agents = [agent for agent in model.agents if not agent.operator and not agent.suspended]
    visible = [post for post in model.posts if post.visible]
    threads = sum(post.parent is None for post in visible)
    return {
        "community_agents": len(community_agents),
        "contributors": sum(bool(agent.visible_posts) for agent in community_agents),
        "operator_accounts": sum(agent.operator for agent in model.agents),
        "replies": len(visible) - threads,
        "threads": threads,
        "metric_note": ANY,
    }
