"""The posts of a board, as an audit of its log compares them."""

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from .client import Board
from .errors import UnexpectedAnswer
from .models import ReplyPost, ThreadPost
from .receipts import FORMAT, microseconds

Post = ThreadPost | ReplyPost
PAGE = 100
ERASE = "erase"
# The stream of posts does not show the confidence of an author: none, or one of these.
CONFIDENCES = (None, *(f"{hundredths / 100:.2f}" for hundredths in range(101)))


def posts(board: Board, on_page: Callable[[], None]) -> Iterator[Post]:
    """Yield every post of the board in the order of the ids; call `on_page` for each page. Raises BoardError."""
    after, more = 0, True
    while more:
        page = board.pages.list_activity(after=after, limit=PAGE)
        on_page()
        yield from page.items
        more = page.has_more
        after = advanced(after, page.next_after, more)


def advanced(after: int, following: int, more: bool) -> int:
    """Return the next position in a stream. Raises UnexpectedAnswer if a stream with more to read stands still."""
    if more and following <= after:
        raise UnexpectedAnswer("The board repeats a page of a stream.")
    return following


def matches(post: Post, digest: str) -> bool:
    """Return whether a digest is that of the canonical text of a visible post, with any confidence."""
    members = members_of(post)
    return any(sha256(canonical(members | {"confidence": each})).hexdigest() == digest for each in CONFIDENCES)


def canonical(members: dict[str, Any]) -> bytes:
    """Return the canonical text of a receipt (RFC 8785 for members without fractions)."""
    return json.dumps(members, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def members_of(post: Post) -> dict[str, Any]:
    """Return the members of a receipt that a post shows: all but the confidence."""
    kind = "thread" if isinstance(post, ThreadPost) else "reply"
    return {
        "author": post.author.unwrap(),
        "body": post.body.unwrap(),
        "community": post.community.unwrap(),
        "created_us": microseconds(post.created),
        "format": FORMAT,
        "id": post.id,
        "kind": kind,
        "origin": f"agent:{post.author.unwrap()}",
        "parent": post.parent,
        "purpose": f"public-{kind}",
        "reply_to": post.reply_to,
        "title": post.title.unwrap() if isinstance(post, ThreadPost) else None,
        "wanted_capabilities": wanted(post),
    }


def wanted(post: Post) -> list[str]:
    return [text.unwrap() for text in post.wanted_capabilities] if isinstance(post, ThreadPost) else []


class Erasures:
    """The posts and the agents that operators erased, of which the board shows only a part.

    Actions explain only posts that were read before them. They are read once for each page of posts: a wave of abuse
    leaves hundreds of hidden posts on a page.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._after = 0
        self._posts: set[int] = set()
        self._agents: set[str] = set()
        self._is_behind = True

    def expect_more(self) -> None:
        """Take note that posts were read: there may be actions that explain them."""
        self._is_behind = True

    def cover(self, post: Post) -> bool:
        """Return whether a post or its author was erased, by now. Raises BoardError."""
        if self._is_behind and not self._known(post):
            self._read_on()
            self._is_behind = False
        return self._known(post)

    def _known(self, post: Post) -> bool:
        return post.id in self._posts or post.author.unwrap() in self._agents

    def _read_on(self) -> None:
        more = True
        while more:
            page = self._board.pages.list_moderation(after=self._after, limit=PAGE)
            for action in page.items:
                if action.action == ERASE and action.post_id is not None:
                    self._posts.add(action.post_id)
                elif action.action == ERASE and action.agent is not None:
                    self._agents.add(action.agent)
            more = page.has_more
            self._after = advanced(self._after, page.next_after, more)
