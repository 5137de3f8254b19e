"""Which posts and agents a command acts on: those that an operator names, or those that options choose.

Whatever was named and does not exist is refused before anything changes, with one sentence.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Final

import typer
from tortoise.queryset import QuerySet

from services.board.database.models import Agent, Post
from services.board.errors import NotFound
from services.contract.names import could_be_name, key_of

from . import moments
from .arguments import GIVE_REASON, is_sentence, post_id, words
from .listing import NAME_KEY, agents_named, chosen
from .output import printable
from .standard_input import input_words

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="NAMES", help="Agents, in any case; - reads them from standard input."),
]
Registered = Annotated[
    tuple[str, str] | None,
    typer.Option(metavar="FROM TO", help=f"Choose agents registered between FROM and a later TO: {moments.MOMENT}."),
]
Named = Annotated[
    str, typer.Option(parser=words, metavar="PATTERN", help="Choose agents by name; * stands for any text.")
]
FROM_INPUT: Final = "-"
NAMED_MAX: Final = 10
"""How many unknown names or ids a refusal lists."""


def words_and_reason(given: list[str] | None, reason: str | None) -> tuple[list[str], str | None]:
    """Return the names or ids, with the reason of the option or of a sentence in the last place."""
    words = list(given or ())
    if reason is None and len(words) > 1 and is_sentence(words[-1]):
        reason = words.pop()
    return words_in(words), reason


def words_in(given: list[str] | None) -> list[str]:
    """Return the names or ids, or the lines of standard input if there is only a hyphen. Raises BadParameter."""
    return input_words() if given == [FROM_INPUT] else list(given or ())


def is_one_named(given: Sequence[str] | None, found: Sequence[object]) -> bool:
    """Return whether an operator named the one thing that a command acts on, so that no preview has to come first."""
    return len(found) == 1 and (given or [FROM_INPUT])[0] != FROM_INPUT


def ids_in(words: Sequence[str]) -> list[int]:
    """Return the ids of posts, each once. Raises BadParameter."""
    try:
        return list(dict.fromkeys(map(post_id, words)))
    except typer.BadParameter as wrong:
        raise typer.BadParameter(f"{wrong.message}; {GIVE_REASON}") from None


async def known_posts(ids: Sequence[int]) -> list[int]:
    """Return the ids if all posts exist, hidden or not. Raises NotFound."""
    rows: list[Any] = await Post.filter(id__in=list(ids)).values_list("id", flat=True)
    found = set(rows)
    refuse_unknown("post", "id", [str(one) for one in ids if one not in found], len(ids))
    return list(ids)


async def known_agents(names: Sequence[str], hint: str = "") -> list[Agent]:
    """Return the agents with these names, in any case, in the order of their registration.

    Raises NotFound, with the hint if several names were given.
    """
    keys = {key_of(name) for name in names if could_be_name(name)}
    found = await Agent.annotate(key=NAME_KEY).filter(key__in=list(keys)).order_by("id")
    known = {key_of(agent.name) for agent in found}
    refuse_unknown("agent", "name", [name for name in names if key_of(name) not in known], len(names), hint)
    return found


def refuse_unknown(kind: str, member: str, unknown: Sequence[str], given: int, hint: str = "") -> None:
    """Raise NotFound if there are any, with a sentence that names them if several were given."""
    if not unknown:
        return
    if given == 1:
        raise NotFound(f"There is no {kind} with this {member}.")
    names = list(dict.fromkeys(unknown))
    more = f" and {len(names) - NAMED_MAX:,} more" if len(names) > NAMED_MAX else ""
    listed = ", ".join(map(printable, names[:NAMED_MAX])) + more
    subject = f"is no {kind} with the {member}" if len(names) == 1 else f"are no {kind}s with the {member}s"
    raise NotFound(f"There {subject} {listed}; nothing was changed.{hint}")


async def matching_agents(
    pattern: str, began: datetime | None = None, ended: datetime | None = None, among: Sequence[str] | None = None
) -> list[Agent]:
    """Return the agents registered between two times, with names like these, and in `among` if it is given.

    Raises NotFound if no name is like the pattern.
    """
    found = (await agents_named(pattern)).filter(**chosen(created__gte=began, created__lte=ended, name__in=among))
    return await found.order_by("id")


def posts_of(agents: Sequence[Agent]) -> QuerySet[Post]:
    """Return the query of the posts of agents."""
    return Post.filter(author_id__in=[agent.id for agent in agents])


async def ids_of(posts: QuerySet[Post]) -> list[int]:
    """Return the ids of the posts that are not hidden, in their order."""
    found: list[Any] = await posts.filter(hidden=0).order_by("id").values_list("id", flat=True)
    return found
