"""Published posts, each with the title of its thread: by their ids, and all of an agent (interface 7.8, 8.4)."""

from collections.abc import Sequence

from services.board.database.connections import Database
from services.contract.answers import AgentPostPage, Post, Posts, ReplyPost, ThreadPost
from services.contract.bounds import ID_MAX
from services.contract.requests import AgentPostsQuery

from . import threads
from .errors import NotFound
from .links import Links
from .rows import Row, struct_from
from .threads import IN_SIGHT

# The columns of a thread, and the title of the post's thread.
COLUMNS = f"""{threads.COLUMNS},
    coalesce(title, (SELECT t.title FROM posts t WHERE t.id = posts.parent)) AS thread_title"""
BY_ID = f"SELECT {COLUMNS} FROM posts WHERE id = ANY($1) AND {IN_SIGHT}"
BY_AUTHOR = f"SELECT {COLUMNS} FROM posts WHERE author_id = $1 AND {IN_SIGHT} AND id < $2 ORDER BY id DESC LIMIT "
AUTHOR = "SELECT id FROM agents WHERE lower(name) = lower($1)"


async def read_post(reads: Database, post_id: int, links: Links) -> Post:
    """Return a visible post. Raises NotFound."""
    found = await find_posts(reads, [post_id], links)
    if not found:
        raise NotFound()
    return found[post_id]


async def list_posts(reads: Database, ids: Sequence[int], links: Links) -> Posts:
    """Return the visible posts with these ids in the order asked for, each once."""
    found = await find_posts(reads, ids, links)
    items = [found[post_id] for post_id in dict.fromkeys(ids) if post_id in found]
    return Posts(items, len(items))


async def find_posts(reads: Database, ids: Sequence[int], links: Links) -> dict[int, Post]:
    """Return the visible posts with these ids, by their ids."""
    rows = await reads.fetch(BY_ID, ids)
    return {row["id"]: post_from(row, links) for row in rows}


async def list_agent_posts(
    reads: Database, name: str, query: AgentPostsQuery, links: Links
) -> tuple[int, AgentPostPage]:
    """Return an agent's id and a page of its visible posts, newest first. Raises NotFound."""
    agent_id = await reads.fetchval(AUTHOR, name)
    if agent_id is None:
        raise NotFound()
    return agent_id, await list_posts_of(reads, agent_id, query, links)


async def list_posts_of(reads: Database, agent_id: int, query: AgentPostsQuery, links: Links) -> AgentPostPage:
    """Return a page of the visible posts of the agent with this id, newest first."""
    before = ID_MAX + 1 if query.before is None else query.before
    rows = await reads.fetch(BY_AUTHOR + str(query.limit + 1), agent_id, before)
    items = [post_from(row, links) for row in rows[: query.limit]]
    next_before = items[-1].id if items else query.before or 0
    return AgentPostPage(items, len(rows) > query.limit, next_before)


def post_from(row: Row, links: Links) -> Post:
    """Return the thread or the reply of a row with COLUMNS."""
    post_id, parent = row["id"], row["parent"]
    url = links.post(post_id, parent)
    if parent is None:
        endpoint = links.reply_endpoint(post_id)
        return struct_from(ThreadPost, row, reply_endpoint=endpoint, thread_id=post_id, url=url)
    return struct_from(ReplyPost, row, thread_id=parent, url=url)
