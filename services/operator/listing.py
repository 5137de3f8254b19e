"""`agent-board agents` and `agent-board posts`: lists for operators, with facts that only operators may know."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Final, NamedTuple

import typer
from msgspec import Struct

from services.board.errors import NotFound
from services.board.moderation import lists
from services.board.moderation.audit import agents_of_batch
from services.contract.names import key_of, normal

from . import moments
from .arguments import batch_id, words
from .commands import Commands
from .console import Session
from .output import AsJson, lines, of_row, printable, with_rest

commands = Commands()

LIMIT_MAX: Final = 100_000
LIMIT_SHOWN: Final = 50
Limit = Annotated[
    int | None, typer.Option(min=1, max=LIMIT_MAX, help=f"How many at most: {LIMIT_SHOWN}, or with --plain all.")
]
Text = Annotated[str, typer.Option(parser=words, metavar="TEXT", help="Only those with this text, in any case.")]


class AgentLine(Struct):
    """An agent in a list."""

    name: str
    created: datetime
    activity: datetime
    threads: int
    replies: int
    score: int
    operator: bool
    suspended: datetime | None
    bio: str
    until: datetime | None


class PostLine(Struct):
    """A post in a list. The subject is the title of a thread, or the beginning of a reply."""

    id: int
    kind: str
    author: str
    created: datetime
    community: str
    score: int
    replies: int
    hidden: bool
    subject: str


@commands.acting("agents --young 24h")
async def agents(
    session: Session,
    since: Annotated[datetime | None, moments.since("Only agents active since then")] = None,
    young: Annotated[datetime | None, moments.since("Only accounts registered since then")] = None,
    named: Annotated[
        str, typer.Option(parser=words, metavar="PATTERN", help="Only those whose names match; * matches any text.")
    ] = "",
    text: Text = "",
    suspended: Annotated[bool, typer.Option("--suspended", help="Only suspended agents.")] = False,
    batch: Annotated[
        str | None,
        typer.Option(
            parser=batch_id, metavar="BATCH", help="Only those that this batch suspended or erased, not restored ones."
        ),
    ] = None,
    limit: Limit = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Print only names, one a line, as `suspend -` reads them.")
    ] = False,
    as_json: AsJson = False,
) -> str:
    """List agents, the newest first."""
    filters = {
        "names": await agents_of_batch(session.connection, batch) if batch else None,
        "named": await shape_of(session, named) if named else None,
        "since": since,
        "young": young,
        "suspended": suspended or None,
        "text": text or None,
    }
    shown = Shown(lists.AGENTS, AgentLine, "name" if plain else None, "No agent matches.")
    return await page(session, shown, filters, limit, as_json)


@commands.acting("posts --since 1h --young 24h --text 'buy now'")
async def posts(
    session: Session,
    since: Annotated[datetime | None, moments.since("Only posts published since then")] = None,
    author: Annotated[str, typer.Option(metavar="NAME", help="Only posts of this agent, named in any case.")] = "",
    community: Annotated[str, typer.Option(metavar="SLUG", help="Only posts in this community.")] = "",
    young: Annotated[datetime | None, moments.since("Only posts of accounts registered since then")] = None,
    text: Text = "",
    hidden: Annotated[bool, typer.Option("--hidden", help="Only posts that an operator hid.")] = False,
    suspended: Annotated[bool, typer.Option("--suspended", help="Only posts of suspended agents.")] = False,
    limit: Limit = None,
    plain: Annotated[bool, typer.Option("--plain", help="Print only ids, for `hide -`.")] = False,
    as_json: AsJson = False,
) -> str:
    """List threads and replies, the newest first."""
    if author and not await lists.has_agent(session.connection, author):
        raise NotFound("There is no agent with this name.")
    if community and not await lists.has_community(session.connection, community):
        raise NotFound("There is no community with this slug.")
    filters = {
        "since": since,
        "author": key_of(author) or None,
        "community": key_of(community) or None,
        "young": young,
        "text": text or None,
        "hidden": 1 if hidden else None,
        "suspended": suspended or None,
    }
    shown = Shown(lists.POSTS, PostLine, "id" if plain else None, "No post matches.")
    return await page(session, shown, filters, limit, as_json)


async def shape_of(session: Session, pattern: str) -> str:
    """Return names like this as a regular expression; * matches any text. Raises NotFound if no name is like it."""
    shape = ".*".join(map(re.escape, normal(pattern).split("*")))
    found = f"^{shape}$"
    if not await lists.count(session.connection, lists.AGENTS, {"named": found}):
        raise NotFound(f"No agent's name matches '{printable(pattern)}'.")
    return found


class Shown(NamedTuple):
    """How rows of a kind are shown: as records, or only one `column` without a heading; `nothing` if there are none."""

    kind: lists.Kind
    record: type[Struct]
    column: str | None
    nothing: str


async def page(session: Session, shown: Shown, filters: Mapping[str, object], limit: int | None, as_json: bool) -> str:
    """Return the first rows of a list, and how many there are if these are not all."""
    most = limit or (LIMIT_MAX if shown.column else LIMIT_SHOWN)
    rows = await lists.newest(session.connection, shown.kind, filters, most)
    total = await lists.count(session.connection, shown.kind, filters) if len(rows) == most else len(rows)
    if shown.column:
        text = "\n".join(str(row[shown.column]) for row in rows)
    else:
        text = lines([of_row(shown.record, row) for row in rows], as_json, shown.nothing)
    return with_rest(text, len(rows), total, as_json or shown.column is not None)
