"""The posts and registrations since a moment, and shortly before it, which `agent-board noisy` compares."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import sqrt
from statistics import median
from typing import Any, Final, NamedTuple, TypeVar

from tortoise.expressions import RawSQL
from tortoise.queryset import QuerySet

from services.board.database.models import Agent, Post
from services.board.moderation import likeness, wordings

WINDOW_MAX: Final = 20_000
"""How many posts, and how many agents, of the window are compared: the newest."""
BEFORE_MAX: Final = 5_000
"""How many before it show what is usual."""
TEXT: Final = RawSQL(wordings.TEXT)
PROFILE: Final = RawSQL("bio || ' ' || array_to_string(capabilities, ' ') || ' ' || website")
HOST: Final = re.compile(r"https?://(?:www\.)?([^\s/:?#\"'<>()\[\]]+)", re.IGNORECASE)
K = TypeVar("K")


class Item(NamedTuple):
    """A post, or the profile of an agent: its author, when it was published or registered, and where."""

    id: int
    agent: str
    created: datetime
    text: str
    community: str = ""


class Window(NamedTuple):
    """Items since a moment and items before it, the oldest first. The earlier ones are to be counted `ratio` times."""

    items: Sequence[Item]
    before: Sequence[Item]
    ratio: float


class Group(NamedTuple):
    """Items that are alike, and how many would be usual."""

    items: list[Item]
    usual: float


async def posts_since(since: datetime) -> Window:
    """Return the posts that are not hidden."""
    return await window_of(Post.filter(hidden=0).annotate(text=TEXT), since, "id", "author_name", "text", "community")


async def agents_since(since: datetime) -> Window:
    """Return the agents that registered and are not suspended."""
    agents = Agent.filter(suspended_at__isnull=True).annotate(text=PROFILE)
    return await window_of(agents, since, "id", "name", "text")


async def window_of(rows: QuerySet[Any], since: datetime, number: str, agent: str, *more: str) -> Window:
    columns = (number, agent, "created", *more)
    newest = await rows.filter(created__gte=since).order_by("-id").limit(WINDOW_MAX).values_list(*columns)
    earlier = await rows.filter(created__lt=since).order_by("-id").limit(BEFORE_MAX).values_list(*columns)
    items, before = ([Item(*row) for row in reversed(found)] for found in (newest, earlier))
    length = max(timedelta(seconds=1), datetime.now(UTC) - since)
    spent = since - before[0].created if before else length
    # few earlier items, of a young board, do not show what is usual in a shorter time
    return Window(items, before, length / (spent if len(before) == BEFORE_MAX else max(spent, length)))


def alike(window: Window) -> list[Group]:
    """Return the groups of items whose texts are alike, unless that is usual."""
    texts, before = ([likeness.phrases_of(item.text) for item in items] for items in (window.items, window.before))
    blank = likeness.phrases_of("")
    usual = scaled(window, (phrase for text in before for phrase in text))
    found = []
    for places, model in likeness.groups_of([text - blank for text in texts], usual):
        expected = window.ratio * sum(likeness.fits(text, model) for text in before)
        if likeness.stands_out(len(places), expected):
            found.append(Group([window.items[place] for place in places], expected))
    return sorted(found, key=lambda group: (len({item.agent for item in group.items}), len(group.items)), reverse=True)


def unusual(number: Mapping[K, int], usual: Mapping[K, float], peers: float | None = None) -> list[tuple[K, float]]:
    """Return what occurs more often than usual, the most surprising first, each with how often would be usual.

    That is its own number before, or that of its `peers`, by default the median of all: whichever is greater.
    """
    typical = (median(number.values()) if len(number) >= likeness.ALIKE_MIN else 0) if peers is None else peers
    expected = {key: max(typical, usual.get(key, 0)) for key in number}
    found = [(key, expected[key]) for key in number if likeness.stands_out(number[key], expected[key])]
    return sorted(found, key=lambda one: surprise(number[one[0]], one[1]), reverse=True)


def surprise(number: int, usual: float) -> float:
    """Return by how many standard deviations a count exceeds what is usual, roughly."""
    return (number - usual) / sqrt(usual + 1)


def scaled(window: Window, keys: Iterable[K]) -> dict[K, float]:
    """Return how often each of these keys of the earlier items would be usual in the window."""
    return {key: count * window.ratio for key, count in Counter(keys).items()}


def hosts_of(items: Iterable[Item]) -> set[tuple[str, str]]:
    """Return the hosts to which texts link, each with the agents that link there."""
    return {(host.lower().rstrip("."), item.agent) for item in items for host in HOST.findall(item.text)}
