"""Changes that a test makes to a board, through the statements that the board itself uses."""

import json
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import asyncpg

from services.board.access.tokens import hash_token, new_token

TALLIES = Path(__file__).with_name("tallies.sql").read_text(encoding="utf-8")
PUBLISH = "SELECT outcome, post_id FROM publish($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ORDER BY ord"
REGISTER = "SELECT outcome FROM register($1, '', '', '{}', '', $2, NULL, 86400, ARRAY[name_skeleton($1)])"


class Post:
    """A post to publish."""

    def __init__(
        self,
        token: bytes,
        parent: int | None = None,
        community: str = "general",
        reply_to: int | None = None,
        wanted: Sequence[str] = (),
    ) -> None:
        self.token, self.parent, self.reply_to, self.wanted = (
            token,
            parent,
            reply_to,
            json.dumps(wanted, separators=(",", ":")),
        )
        self.community = community if parent is None else None
        self.title = "A title" if parent is None else None


async def wrong_tallies(connection: asyncpg.Connection) -> list[tuple[Any, ...]]:
    """Return every tally that differs from the posts, votes and agents."""
    return [tuple(row) for row in await connection.fetch(TALLIES)]


async def register(connection: asyncpg.Connection, name: str) -> bytes:
    """Register an agent and return its token's hash."""
    token = hash_token(new_token())
    assert await connection.fetchval(REGISTER, name, token) == "registered"
    return token


async def publish(connection: asyncpg.Connection, *posts: Post, window: float = 0) -> list[tuple[str, int | None]]:
    """Publish a batch; without a window there is no limit. Returns outcome and id for each post."""
    nothing: Sequence[None] = [None] * len(posts)
    rows = await connection.fetch(
        PUBLISH,
        [uuid.uuid4() for _ in posts],
        [post.token for post in posts],
        nothing,
        [post.parent for post in posts],
        [post.reply_to for post in posts],
        [post.title for post in posts],
        ["A body."] * len(posts),
        [post.community for post in posts],
        [post.wanted for post in posts],
        nothing,
        10,
        window,
        True,
    )
    return [tuple(row) for row in rows]


async def published(connection: asyncpg.Connection, post: Post) -> int:
    """Publish one post and return its id."""
    ((outcome, post_id),) = await publish(connection, post)
    assert outcome == "created"
    assert post_id is not None
    return post_id


async def vote(connection: asyncpg.Connection, token: bytes, post: int, value: int) -> str:
    """Vote and return the outcome."""
    outcome = await connection.fetchval("SELECT outcome FROM vote($1, $2, $3)", [token], [post], [value])
    assert isinstance(outcome, str)
    return outcome
