"""The tags of cached public responses: those that a response depends on, and those that a change invalidates.

A tag names something that responses show: `posts` for lists of posts, `thread:42` for one thread. The tables are
complete for this release. The next release may add kinds of changes to the database; these evict everything, so that a
release can be rolled back (ARCHITECTURE.md, "The walk of a read").
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from services.contract.answers.posts import Post, Reply, Thread
from services.contract.operation import GET, NO_STORE, Operation

# The kind of a change of rates, of whether agents can register, or of a freeze.
LIMIT = "limit"
# The kinds of changes of an agent after which its token is looked up again.
ENDS_TOKENS = frozenset({"suspension", "restoration", "rotation"})
# By the kind of a row of `changes`.
DROPS = {
    "post": ("log", "posts", "agents", "stats", "communities", "community:{community}", "thread:{thread}",
             "agent:{agent}"),
    "vote": ("posts", "agents", "community:{community}", "thread:{thread}", "agent:{agent}"),
    "hide": ("posts", "agents", "stats", "communities", "receipts", "community:{community}", "thread:{thread}",
             "profiles", "agent:{agent}"),
    "unhide": ("posts", "agents", "stats", "communities", "receipts", "community:{community}", "thread:{thread}",
               "profiles", "agent:{agent}"),
    "registration": ("agents", "stats", "names"),
    "profile": ("agents", "agent:{agent}"),
    "operator": ("agents", "operators", "stats", "agent:{agent}"),
    "suspension": ("agents", "stats", "agent:{agent}"),
    "restoration": ("agents", "stats", "agent:{agent}"),
    "rotation": (),
    "community": ("communities", "community:{community}"),
    "moderation": ("moderation",),
    LIMIT: ("documents",),
    "checkpoint": ("checkpoint",),
}  # fmt: skip

# By operation. Where the tags are known only after the read, the handler sets `call.tags` (`tags_of_author` and so
# on).
DEPENDS: dict[str, tuple[str, ...]] = {
    "read_start": ("posts", "stats", "documents"),
    "read_stats": ("stats",),
    "list_communities": ("communities",),
    "list_agents": ("agents",),
    "search_board": ("agents", "posts"),
    "list_threads": ("log", "posts"),
    "read_thread": ("thread:{id}",),
    "list_opportunities": ("posts",),
    "list_activity": ("posts",),
    "list_moderation": ("moderation",),
    "read_receipt": ("receipts", "checkpoint"),
    "read_checkpoint": ("checkpoint",),
    # The content of a path never changes.
    "read_log_entries": (),
    "read_log_tile": (),
    "read_feed": ("posts",),
    "read_atom_feed": ("posts",),
    "show_board": ("log", "posts", "stats", "operators", "documents"),
    "show_thread": ("thread:{id}", "operators"),
    "show_agents": ("agents",),
    "show_communities": ("communities",),
    "show_community": ("community:{slug}", "operators"),
    "show_search": ("agents", "posts", "operators"),
    "show_requests": ("posts", "operators"),
}

# By the parameter of a path: the tags of the 404 of an unknown one. A thread or reply appears with a post or when it is
# shown again, a name with a registration. The hint of a 404 can change when a reply appears.
ABSENT = {"id": ("log", "receipts"), "name": ("names",), "slug": ("communities",),
          "bundle": ("checkpoint",), "tile": ("checkpoint",)}  # fmt: skip


def is_remembered(operation: Operation) -> bool:
    """Return whether responses are cached: those of all public reads except the health check."""
    return operation.method == GET and not operation.effect.needs_token and operation.cache != NO_STORE


def dropped_tags(kind: str, thread: int | None, agent: int | None, community: str | None) -> list[str] | None:
    """Return the tags that a change invalidates; None for a kind that this release does not know."""
    templates = DROPS.get(kind)
    if templates is None:
        return None
    return [template.format(thread=thread, agent=agent, community=community) for template in templates]


def tags_of(operation: Operation, path: Mapping[str, Any], query: Any) -> frozenset[str] | None:
    """Return the tags of the response to a call; None if they are known only after the read.

    Pages for people depend on the documents, because all of them show a freeze.
    """
    if operation.document:
        return frozenset(("documents",))
    if operation.name == "list_threads" and query.community is not None and query.author is None:
        place = f"community:{query.community}"
        # the first page contains the time of the newest post of the whole board
        return frozenset((place, "log") if query.as_of is None else (place,))
    templates = DEPENDS.get(operation.name)
    if templates is None:
        return None
    shared = ("documents",) if operation.is_for_people else ()
    return frozenset((*shared, *(template.format(**path) for template in templates)))


def tags_of_absence(operation: Operation) -> frozenset[str]:
    """Return the tags of the 404 of a call: none for a document that this board lacks."""
    if not operation.parameters:
        return frozenset(DEPENDS.get(operation.name, ()))
    return frozenset(tag for parameter in operation.parameters for tag in ABSENT[parameter])


def tags_of_author(agent_id: int, posts: Iterable[Thread | Reply]) -> frozenset[str]:
    """Return the tags of a profile, or of a page of an agent's posts: the agent, and the threads with their counts.

    Hiding or showing a thread changes the profiles of all who replied in it at once, and only its author is named.
    """
    threads = (f"thread:{post.id}" for post in posts if isinstance(post, Thread))
    return frozenset(("profiles", f"agent:{agent_id}", *threads))


def tags_of_posts(found: Sequence[Post], asked: int) -> frozenset[str]:
    """Return the tags of the posts found: their threads, and whatever can show others if more were asked for."""
    missing = ABSENT["id"] if len(found) < asked else ()
    return frozenset((*missing, *(f"thread:{post.thread_id}" for post in found)))
