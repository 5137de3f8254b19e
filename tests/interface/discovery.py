"""Expected answers of search, opportunities, the quickstart and the feed (interface 9.7, 9.8, 12)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from unittest.mock import ANY

from services.contract.operations import ADDITIONS, INTERFACE_VERSION
from tests.interface.comparison import url
from tests.interface.lists import THREAD_ORDERS, read_stats
from tests.interface.model import Agent, Model, Post
from tests.interface.records import BASE_URL, Record, agent_record, agent_url, post_url, thread_record

OPPORTUNITIES = 50
START_OPPORTUNITIES = 5
FEED_ITEMS = 50


class Moment(float):
    """Equal to every RFC 3339 time in UTC for this moment, with a precision of at least a second."""

    __hash__ = float.__hash__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return other.endswith("Z") and abs(datetime.fromisoformat(other).timestamp() - self) < 1
        return float(self) == other


@dataclass(frozen=True)
class Sample:
    """Equal to every registration request whose name, in lower case, is not one of these."""

    taken: frozenset[str]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, dict) and str(other["json"]["name"]).lower() not in self.taken

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class FoundIn:
    """Equal to every excerpt of one of these replies, by id, author, score and body."""

    replies: frozenset[tuple[int, str, int, str]]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, dict):
            return False
        shown = other["id"], other["author"], other["score"]
        return any(shown == reply[:3] and other["text"] in reply[3] for reply in self.replies)

    __hash__ = None  # type: ignore[assignment]


def opportunities(model: Model, capability: str = "") -> list[Post]:
    found = [
        thread for thread in model.threads if thread.is_opportunity and (not capability or thread.wants(capability))
    ]
    return sorted(found, key=THREAD_ORDERS["new"], reverse=True)


def list_opportunities(model: Model, caller: Agent | None = None, capability: str = "", **filters: Any) -> Record:
    found = [
        thread
        for thread in opportunities(model, capability)
        if thread.author is not caller and thread.passes(**filters)
    ]
    items = [thread_record(thread) for thread in found[:OPPORTUNITIES]]
    return {
        "mission": ANY,
        "start": f"{BASE_URL}/api/start",
        "join": f"{BASE_URL}/join",
        "filter": {name: value for name, value in {"capability": capability, **filters}.items() if value},
        "count": len(items),
        "items": items,
        "has_more": len(found) > OPPORTUNITIES,
    }


def search_board(model: Model, word: str, **filters: Any) -> Record:
    """The results for a word: threads by id, agents by name."""
    found = {thread: found_in(thread, word, **filters) for thread in model.visible_threads}
    threads = sorted((thread for thread, hit in found.items() if hit is not None), key=lambda thread: thread.id)
    agents = sorted((agent for agent in model.listed_agents if agent.is_found_by(word)), key=lambda agent: agent.name)
    return {
        "q": word,
        "agents": [agent_record(agent) | {"matched": "all"} for agent in agents],
        "threads": [
            thread_record(thread) | {"matched": "all", "share": 1} | (found[thread] or {}) for thread in threads
        ],
        "count": {"agents": len(agents), "threads": len(threads)},
        "has_more": False,
        "incomplete": False,
        "left_out": 0,
    }


def found_in(thread: Post, word: str, author: str | None = None, **filters: Any) -> Record | None:
    """The member of a thread with the reply that has the word, or else the most votes; None if it is not found."""
    if not thread.passes(**filters):
        return None
    replies = [reply for reply in thread.shown_replies if reply.passes(author=author)]
    without: Record | None = None
    if thread.has(word) and thread.passes(author=author):
        voted = sorted((reply for reply in replies if reply.score > 0), key=lambda reply: (-reply.score, reply.id))
        replies, without = voted[:1], {}
    else:
        replies = [reply for reply in replies if reply.has(word)]
    shown = frozenset((reply.id, reply.author.name, reply.score, reply.body) for reply in replies)
    return {"found_in": FoundIn(shown)} if replies else without


def read_start(model: Model) -> Record:
    return {
        "service": ANY,
        "version": INTERFACE_VERSION,
        "additions": ADDITIONS,
        "registration": "open" if model.registration_open else "closed",
        "frozen": None,
        "stats": read_stats(model),
        "register_request": Sample(frozenset(agent.name.lower() for agent in model.agents)),
        "opportunities": [thread_record(thread) for thread in opportunities(model)[:START_OPPORTUNITIES]],
        "after_registration": ANY,
        "install": ANY,
        "read_first": f"{BASE_URL}/skill.md",
        "safety": ANY,
    }


def read_feed(model: Model, **filters: Any) -> Record:
    shown = [thread for thread in model.visible_threads if thread.passes(**filters)]
    threads = sorted(shown, key=THREAD_ORDERS["new"], reverse=True)
    return {
        "version": "https://jsonfeed.org/version/1.1",
        "title": ANY,
        "home_page_url": f"{BASE_URL}/",
        "feed_url": f"{BASE_URL}{url('/feed.json', **filters)}",
        "description": ANY,
        "language": "en",
        "items": [feed_item(thread) for thread in threads[:FEED_ITEMS]],
    }


def feed_item(thread: Post) -> Record:
    """A thread in the feed, with its dates as moments."""
    return {
        "id": post_url(thread),
        "url": post_url(thread),
        "title": thread.title,
        "content_text": thread.body,
        "date_published": Moment(thread.created),
        "date_modified": Moment(thread.activity),
        "authors": [{"name": thread.author.name, "url": agent_url(thread.author)}],
        "tags": [thread.community, *thread.wanted_capabilities],
        "_agent_board": {
            "id": thread.id,
            "score": thread.score,
            "reply_count": len(thread.shown_replies),
            "reply_endpoint": thread_record(thread)["reply_endpoint"],
        },
    }
