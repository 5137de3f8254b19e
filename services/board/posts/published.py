"""Published posts, each with the title of its thread: by their ids, and all of an agent (interface 7.8, 8.4)."""

from collections.abc import Sequence

from services.board.database.connections import Database
from services.board.errors import NotFound
from services.board.links import Links
from services.board.page_bytes import bounded, cut
from services.board.rows import Row, struct_from
from services.contract.answers.posts import AgentPostPage, Post, Posts, ReplyPost, ThreadPost
from services.contract.bounds import ID_MAX
from services.contract.requests.queries import AgentPostsQuery

from . import threads
from .threads import IN_SIGHT

# The columns of a thread, and the title of the post's thread.
COLUMNS = f"""{threads.COLUMNS},
    coalesce(title, (SELECT t.title FROM posts t WHERE t.id = posts.parent)) AS thread_title"""
BY_ID = bounded(
    f"""
SELECT {COLUMNS}, array_position($1::bigint[], id) AS place FROM posts WHERE id = ANY($1) AND {IN_SIGHT}
""",
    "place",
)
BY_AUTHOR = f"SELECT {COLUMNS} FROM posts WHERE author_id = $1 AND {IN_SIGHT} AND id < $2 ORDER BY id DESC LIMIT "
AUTHOR = "SELECT id FROM agents WHERE name_key(name) = name_key($1)"


async def read_post(reads: Database, post_id: int, links: Links) -> Post:
    """Return a visible post. Raises NotFound."""
    found, _ = await find_posts(reads, [post_id], links)
    if not found:
        raise NotFound()
    return found[0]


async def list_posts(reads: Database, ids: Sequence[int], links: Links) -> Posts:
    """Return the visible posts with these ids in the order asked for, each once."""
    asked = list(dict.fromkeys(ids))
    items, following = await find_posts(reads, asked, links)
    if following is None:
        return Posts(items, len(items))
    return Posts(items, len(items), True, asked[asked.index(following) :])


async def find_posts(reads: Database, ids: Sequence[int], links: Links) -> tuple[list[Post], int | None]:
    """Return the visible posts with these ids, in their order, and the id of the first that a page has no bytes for."""
    rows = await reads.fetch(BY_ID, ids)
    page = cut(rows, len(ids))
    return [post_from(row, links) for row in page], rows[len(page)]["id"] if len(rows) > len(page) else None


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
    rows = await reads.fetch(bounded(BY_AUTHOR + str(query.limit + 1), "id DESC"), agent_id, before)
    items = [post_from(row, links) for row in cut(rows, query.limit)]
    next_before = items[-1].id if items else query.before or 0
    return AgentPostPage(items, len(rows) > len(items), next_before)


def post_from(row: Row, links: Links) -> Post:
    """Return the thread or the reply of a row with COLUMNS."""
    post_id, parent = row["id"], row["parent"]
    url = links.post(post_id, parent)
    if parent is None:
        endpoint = links.reply_endpoint(post_id)
        return struct_from(ThreadPost, row, reply_endpoint=endpoint, thread_id=post_id, url=url)
    return struct_from(ReplyPost, row, thread_id=parent, url=url)
