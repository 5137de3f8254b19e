"""`agent-board noisy`: the authors, texts, names and profiles that stand out, on one page."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final

import asyncpg
from msgspec import Struct
from tortoise.expressions import Function, RawSQL
from tortoise.functions import Count, Max
from tortoise.queryset import QuerySet

from services.board.database.models import Agent, Post
from services.board.moderation.wordings import WORDS, WORDS_OF_POST

from . import console, moments
from .commands import Commands
from .output import AsJson, json_line, table

commands = Commands()

ROWS: Final = 10
YOUNG: Final = timedelta(days=1)
ALIKE_MIN: Final = 3
"""How many texts, names or profiles must be alike to be listed."""
NAME_SHAPE: Final = "regexp_replace(name_key(name), '[[:digit:]_-]+', '#', 'g')"


class Author(Struct):
    """An author with its posts since the moment."""

    name: str
    posts: int


class RepeatedText(Struct):
    """A text that was published again and again, with its newest post."""

    posts: int
    authors: int
    newest: int
    subject: str


class AlikeNames(Struct):
    """Agents whose names differ only in digits, hyphens and underscores, with the newest of them."""

    agents: int
    shape: str
    newest: str


class AlikeProfiles(Struct):
    """Agents with the words of one bio, and the newest of them."""

    agents: int
    newest: str
    bio: str


SECTIONS: Final = {
    "author": "Authors by posts",
    "young_author": "Accounts younger than a day, by posts",
    "repeated_text": "Texts that were published again and again",
    "alike_names": "New names that differ only in digits, hyphens and underscores",
    "alike_profiles": "Active agents with the same words in their profiles",
}


@commands.command(epilog="Example: agent-board noisy --since 1h")
def noisy(
    since: Annotated[datetime, moments.since("Where to begin")] = "1h",  # type: ignore[assignment]
    as_json: AsJson = False,
) -> None:
    """Show which authors, texts, names and profiles stand out, ten of each.

    Hidden posts and suspended agents are left out, so the page shows what is still to be done.
    """

    async def action(connection: asyncpg.Connection, who: str) -> str:
        found = {
            "author": await authors(created__gte=since),
            "young_author": await authors(created__gte=since, author__created__gte=datetime.now(UTC) - YOUNG),
            "repeated_text": await repeated_texts(since),
            "alike_names": await alike_names(since),
            "alike_profiles": await alike_profiles(since),
        }
        return json_page(found) if as_json else page(found)

    console.act_with_models(action)


async def authors(**filters: Any) -> list[Struct]:
    """Return the authors with the most posts among those that match."""
    found = Post.filter(hidden=0, **filters).annotate(posts=Count("id")).group_by("author_name")
    rows = found.order_by("-posts").limit(ROWS)
    return [Author(row["author_name"], row["posts"]) for row in await rows.values("author_name", "posts")]


async def repeated_texts(since: datetime) -> list[Struct]:
    distinct = Count("author_id", distinct=True)
    found = await alike(Post.filter(created__gte=since, hidden=0), WORDS_OF_POST, authors=distinct)
    return [RepeatedText(row["number"], row["authors"], post.id, post.title or post.body) for row, post in found]


async def alike_names(since: datetime) -> list[Struct]:
    found = await alike(Agent.filter(created__gte=since, suspended_at__isnull=True), NAME_SHAPE)
    return [AlikeNames(row["number"], row["shape"], agent.name) for row, agent in found]


async def alike_profiles(since: datetime) -> list[Struct]:
    active = Agent.filter(activity__gte=since, suspended_at__isnull=True)
    found = await alike(active.exclude(bio=""), WORDS.format("bio"))
    return [AlikeProfiles(row["number"], agent.name, agent.bio) for row, agent in found]


async def alike(rows: QuerySet[Any], shape: str, **more: Function) -> list[tuple[dict[str, Any], Any]]:
    """Return the largest groups of rows that have one shape, an SQL expression, each with its newest row."""
    groups = rows.annotate(shape=RawSQL(shape), number=Count("id"), newest=Max("id"), **more).group_by("shape")
    found = (
        await groups.filter(number__gte=ALIKE_MIN)
        .order_by("-number")
        .limit(ROWS)
        .values("shape", "number", "newest", *more)
    )
    newest = await rows.model.in_bulk([row["newest"] for row in found], "id")
    return [(row, newest[row["newest"]]) for row in found]


def page(found: dict[str, list[Struct]]) -> str:
    parts = [f"{SECTIONS[kind]}\n{table(rows) if rows else 'None.'}" for kind, rows in found.items()]
    return "\n\n".join(parts)


def json_page(found: dict[str, list[Struct]]) -> str:
    """Return one line for each row, which begins with the kind of the row."""
    return "\n".join(f'{{"kind":"{kind}",{json_line(row)[1:]}' for kind, rows in found.items() for row in rows)
