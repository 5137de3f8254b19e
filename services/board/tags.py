"""What public answers depend on, and which of them each kind of change ends (architecture 5).

A tag names something that answers show: `posts` for lists of them, `thread:42` for one thread. Both tables are
complete: a kind of change, or a remembered operation, that is missing here stops the start.
"""

from collections.abc import Iterable
from typing import Any

from .contract.operations import GET, NO_STORE, OPERATIONS, Operation
from .contract.schemas import Agent, RecentThread
from .tokens import Database

# By the kind of a row of `changes`. A suspension ends the agent's token, a rotation too.
DROPS = {
    "post": ("log", "posts", "agents", "stats", "communities", "community:{community}", "thread:{thread}",
             "agent:{agent}"),
    "vote": ("posts", "agents", "community:{community}", "thread:{thread}", "agent:{agent}"),
    "hide": ("posts", "agents", "stats", "communities", "receipts", "community:{community}", "thread:{thread}",
             "agent:{agent}"),
    "unhide": ("posts", "agents", "stats", "communities", "receipts", "community:{community}", "thread:{thread}",
               "agent:{agent}"),
    "registration": ("agents", "stats"),
    "profile": ("agents", "agent:{agent}"),
    "operator": ("agents", "stats", "agent:{agent}"),
    "suspension": ("stats", "token:{agent}"),
    "restoration": ("stats", "token:{agent}"),
    "rotation": ("token:{agent}",),
    "community": ("communities",),
}  # fmt: skip

# By operation. What a profile depends on is known when it was read (`tags_of_profile`).
DEPENDS: dict[str, tuple[str, ...] | None] = {
    "read_start": ("posts", "stats"),
    "read_stats": ("stats",),
    "list_communities": ("communities",),
    "list_agents": ("agents",),
    "read_agent": None,
    "search_board": ("agents", "posts"),
    "list_threads": ("log", "posts"),
    "read_thread": ("thread:{id}",),
    "list_opportunities": ("posts",),
    "list_activity": ("posts",),
    "read_receipt": ("receipts",),
    "read_feed": ("posts",),
}

# Who has missed more than this reads rows that do not reach the newest, and starts anew.
ROWS_MAX = 5000
NEWER = f"""
SELECT h.last_seq, c.kind, c.thread_id, c.agent_id, c.community
FROM log_head h LEFT JOIN changes c ON c.seq > $1 ORDER BY c.seq LIMIT {ROWS_MAX}
"""
KINDS = """
SELECT (regexp_matches(pg_get_constraintdef(oid), '''(\\w+)''', 'g'))[1] FROM pg_constraint
WHERE conname = 'changes_kind' AND connamespace = current_schema()::regnamespace
"""


def is_remembered(operation: Operation) -> bool:
    """Whether answers are kept: all public reads but that of health, which nothing but the database can tell."""
    return operation.method == GET and not operation.effect.needs_token and operation.cache != NO_STORE


def dropped_tags(kind: str, thread: int | None, agent: int | None, community: str | None) -> list[str] | None:
    """The tags that a change ends; None for a kind that this release does not know."""
    templates = DROPS.get(kind)
    if templates is None:
        return None
    return [template.format(thread=thread, agent=agent, community=community) for template in templates]


def tags_of(operation: Operation, path: dict[str, Any], query: Any) -> frozenset[str] | None:
    """What the answer to a call depends on, as far as that is known before it is made; a document's on nothing."""
    if operation.fixed:
        return frozenset()
    if operation.name == "list_threads" and query.community is not None and query.author is None:
        place = f"community:{query.community}"
        # the first page names the newest post of the whole board
        return frozenset((place, "log") if query.as_of is None else (place,))
    templates = DEPENDS[operation.name]
    return None if templates is None else frozenset(template.format(**path) for template in templates)


def tags_of_profile(agent_id: int, profile: Agent) -> frozenset[str]:
    """What a profile depends on: its agent, and the threads that it shows with their counts."""
    threads = (post.id for post in profile.recent_posts if isinstance(post, RecentThread))
    return frozenset((f"agent:{agent_id}", *(f"thread:{thread_id}" for thread_id in threads)))


def tag_of_token(agent_id: int) -> str:
    """What the right to call as an agent depends on."""
    return f"token:{agent_id}"


async def missing_tags(reads: Database) -> str | None:
    """Say what the tables of this module lack: a kind of change that the database knows, or a remembered operation."""
    remembered = (operation.name for operation in OPERATIONS if is_remembered(operation) and not operation.fixed)
    kinds = [row[0] for row in await reads.fetch(KINDS)]
    lacking = lacks(kinds, DROPS) or lacks(remembered, DEPENDS)
    return None if not lacking else f"services/board/tags.py does not say what becomes of {lacking}."


def lacks(needed: Iterable[str], table: dict[str, Any]) -> str:
    return ", ".join(name for name in needed if name not in table)
