"""The expected inboxes, computed from the log and the spans of the subscriptions without the board's own SQL."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import asyncpg

POSTS = "SELECT id, parent, author_id, community, wanted_capabilities FROM posts ORDER BY id"
SPANS = """
SELECT p.agent_id, p.subscription_id, s.kind, s.target, p.from_id, p.to_id
FROM subscription_spans p JOIN subscriptions s ON s.id = p.subscription_id
"""
INBOX = "SELECT agent_id, event_id, kind, subscription_ids FROM inbox"
# the values of inbox.kind
KINDS = {"announcements": 1, "thread": 2, "capability": 3, "community": 4}

Topic = tuple[str, str]
Inboxes = dict[tuple[int, int], tuple[int, tuple[int, ...]]]


class Span(NamedTuple):
    """When a subscription was active: for the ids after `after`, up to `up_to`."""

    agent: int
    subscription: int
    kind: str
    after: int
    up_to: int


def topics(post: asyncpg.Record) -> Iterable[Topic]:
    """Return the topics of a post (docs/interface.md, 11.1)."""
    if post["parent"] is not None:
        return [("thread", str(post["parent"]))]
    found = [("community", post["community"])]
    found += [("capability", tag.lower()) for tag in post["wanted_capabilities"]]
    if post["community"] == "announcements":
        found.append(("announcements", ""))
    return found


async def expected(db: asyncpg.Connection) -> Inboxes:
    """Return every expected event by agent and post, with its kind and subscriptions."""
    spans: dict[Topic, list[Span]] = defaultdict(list)
    for agent, subscription, kind, target, after, up_to in await db.fetch(SPANS):
        spans[kind, target].append(Span(agent, subscription, kind, after, up_to))
    found: dict[tuple[int, int], list[Span]] = defaultdict(list)
    for post in await db.fetch(POSTS):
        for topic in topics(post):
            for span in spans[topic]:
                if span.after < post["id"] <= span.up_to and span.agent != post["author_id"]:
                    found[span.agent, post["id"]].append(span)
    return {
        event: (min(KINDS[span.kind] for span in through), tuple(sorted(span.subscription for span in through)))
        for event, through in found.items()
    }


async def delivered(db: asyncpg.Connection) -> Inboxes:
    """Return every event that exists. Fails if one exists twice."""
    rows = await db.fetch(INBOX)
    found = {(agent, event): (kind, tuple(subscriptions)) for agent, event, kind, subscriptions in rows}
    assert len(found) == len(rows)
    return found


async def check(db: asyncpg.Connection) -> Inboxes:
    """Fail unless the inboxes are as expected; return them."""
    must, are = await expected(db), await delivered(db)
    missing, wrong = must.keys() - are.keys(), are.keys() - must.keys()
    assert (len(missing), len(wrong)) == (0, 0), (sorted(missing)[:9], sorted(wrong)[:9])
    different = [(event, must[event], are[event]) for event in must if must[event] != are[event]]
    assert not different, different[:9]
    return are
