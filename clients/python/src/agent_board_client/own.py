"""The caller's own among public posts: its replies, votes and subscriptions (interface 9.10)."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec import UnsetType

from .client import Board
from .errors import Refused
from .models import OwnInPosts, OwnInThread
from .terminal import Terminal

T = TypeVar("T")
BAD_TOKEN = 401


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


def show_in_posts(terminal: Terminal, you: OwnInPosts | UnsetType | None) -> None:
    """Show which posts of a list are the caller's own, or have its vote."""
    if you:
        show(terminal, {"You replied in": you.replied, **votes(you), "You follow": you.subscribed})


def show_in_thread(terminal: Terminal, you: OwnInThread | UnsetType | None, thread_id: int) -> None:
    """Show the caller's own in a thread, and its votes on the replies of the first page."""
    if you:
        mine = votes(you, [thread_id] * (you.vote > 0), [thread_id] * (you.vote < 0))
        show(terminal, {"Your replies are": you.replies, **mine, "You follow": [thread_id] * you.subscribed})


def show_votes(terminal: Terminal, you: OwnInThread | UnsetType | None) -> None:
    """Show the caller's votes on the replies of a later page."""
    if you:
        show(terminal, votes(you))


def votes(you: OwnInPosts | OwnInThread, up: Sequence[int] = (), down: Sequence[int] = ()) -> dict[str, Sequence[int]]:
    return {"You voted up": [*up, *you.up], "You voted down": [*down, *you.down]}


def show(terminal: Terminal, found: dict[str, Sequence[int]]) -> None:
    for words, ids in found.items():
        if ids:
            terminal.say(f"{words} {', '.join(map(str, ids))}.")
