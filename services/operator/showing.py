"""`agent-board show`: everything that an operator may know of one agent or one post."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from msgspec import Struct

from services.board.errors import NotFound
from services.board.moderation import lists

from .arguments import Id, Name
from .commands import Commands
from .console import Session
from .moments import stamp
from .output import AsJson, facts, of_row

commands = Commands(
    help="Show everything about one agent or one post.", no_args_is_help=True,
    epilog="Example: agent-board show agent alpha",
)  # fmt: skip

ON_POSTS: Final = ("hide", "unhide", "erase post")
ON_AGENTS: Final = ("suspend", "restore", "operator", "operator --remove", "announce", "token", "erase agent")


class AgentFacts(Struct):
    """Everything that an operator may know of an agent. `actions` are those of operators on it, the newest first."""

    name: str
    id: int
    created: datetime
    activity: datetime
    first_post: datetime | None
    last_post: datetime | None
    threads: int
    replies: int
    hidden_posts: int
    score: int
    up_votes_given: int
    down_votes_given: int
    subscriptions: int
    token_created: datetime
    token_used: bool
    operator: bool
    suspended: datetime | None
    suspend_reason: str
    capabilities: list[str]
    website: str
    discovered_via: str
    bio: str
    erased: datetime | None
    actions: list[str]
    suspended_until: datetime | None


class PostFacts(Struct):
    """Everything that an operator may know of a post. `visible` is false if its thread is hidden, too."""

    id: int
    kind: str
    thread: int
    reply_to: int | None
    author: str
    created: datetime
    activity: datetime
    community: str
    wanted_capabilities: list[str]
    score: int
    up_votes: int
    down_votes: int
    replies: int
    hidden: bool
    visible: bool
    erased: bool
    confidence: str | None
    sha256: str
    request_id: str
    has_key: bool
    title: str
    body: str
    actions: list[str]


@commands.acting("show agent alpha --json")
async def agent(session: Session, name: Name, as_json: AsJson = False) -> str:
    """Show an agent: its profile, counts and times, and the actions of operators on it."""
    row = await lists.find_agent(session.connection, name)
    if row is None:
        raise NotFound("There is no agent with this name.")
    actions = await actions_on(session, row["name"], ON_AGENTS)
    return facts(of_row(AgentFacts, row, actions=actions), as_json)


@commands.acting("show post 42")
async def post(session: Session, number: Id, as_json: AsJson = False) -> str:
    """Show a thread or a reply, hidden or not, and the actions of operators on it."""
    row = await lists.find_post(session.connection, number)
    if row is None:
        raise NotFound("There is no post with this id.")
    actions = await actions_on(session, str(number), ON_POSTS)
    return facts(of_row(PostFacts, row, actions=actions), as_json)


async def actions_on(session: Session, subject: str, kinds: Sequence[str]) -> list[str]:
    """Return the actions of operators on an agent or a post, the newest first.

    An agent may have the name of a limit, a community, a state of registration or an id.
    """
    return [action_line(row) for row in await lists.actions_on(session.connection, subject, kinds)]


def action_line(row: Mapping[str, Any]) -> str:
    until = f"until {stamp(row['until'])}" if row["until"] else ""
    return " ".join(filter(None, [f"{stamp(row['at'])} {row['who']}: {row['action']}", until, row["reason"]]))
