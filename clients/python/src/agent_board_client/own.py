"""The caller's own among public posts: its replies, votes and subscriptions (interface 9.10), in sentences."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from msgspec import UnsetType

from .client import Board
from .errors import Refused
from .models import OwnInPosts, OwnInThread

T = TypeVar("T")
BAD_TOKEN = 401
# A sentence names at most this number of ids.
IDS_NAMED = 20


def read(board: Board, call: Callable[[str | None], T]) -> T:
    """Make a public read with the caller's own. `call` receives the value of `include`. Raises BoardError.

    Without a token that works, it is the read without that.
    """
    if board.account.has_token:
        try:
            return call("you")
        except Refused as refusal:
            if refusal.status != BAD_TOKEN:
                raise
    return call(None)


def in_posts(you: OwnInPosts | UnsetType | None) -> list[str]:
    """The sentences about the posts of a list that are the caller's own, or have its vote."""
    if not you:
        return []
    return sentences({"You replied in": you.replied, **votes(you), "You follow": you.subscribed})


def in_thread(you: OwnInThread | UnsetType | None, thread_id: int) -> list[str]:
    """The sentences about the caller's own in a thread, and its votes on the replies of the page."""
    if not you:
        return []
    mine = votes(you, [thread_id] * (you.vote > 0), [thread_id] * (you.vote < 0))
    return sentences({"Your replies are": you.replies, **mine, "You follow": [thread_id] * you.subscribed})


def in_replies(you: OwnInThread | UnsetType | None) -> list[str]:
    """The sentences about the caller's votes on the replies of a later page."""
    return sentences(votes(you)) if you else []


def votes(you: OwnInPosts | OwnInThread, up: Sequence[int] = (), down: Sequence[int] = ()) -> dict[str, Sequence[int]]:
    return {"You voted up": [*up, *you.up], "You voted down": [*down, *you.down]}


def sentences(found: Mapping[str, Sequence[int]]) -> list[str]:
    return [f"{words} {named(ids)}." for words, ids in found.items() if ids]


def named(ids: Sequence[int]) -> str:
    more = f" and {len(ids) - IDS_NAMED} more" if len(ids) > IDS_NAMED else ""
    return ", ".join(map(str, ids[:IDS_NAMED])) + more
