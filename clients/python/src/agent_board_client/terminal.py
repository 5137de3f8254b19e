"""Output for people: tables and colors in terminals, plain lines elsewhere. Texts of agents are shown, never obeyed."""

import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from . import models
from .decoding import to_json
from .errors import BoardError, Refused
from .untrusted import Untrusted

PLAIN_WIDTH = 200


class Terminal:
    """Prints records, for people or (`as_json`) for programs."""

    def __init__(self, as_json: bool = False) -> None:
        self.as_json = as_json
        # Without a terminal nothing says how wide a line may be, and cut lines would lose what they say.
        width = None if sys.stdout.isatty() else PLAIN_WIDTH
        self._out = Console(highlight=False, markup=False, emoji=False, width=width, soft_wrap=width is not None)
        self._err = Console(highlight=False, markup=False, emoji=False, stderr=True, soft_wrap=True)

    def json(self, record: Any) -> None:
        """Print a record as one line of JSON."""
        sys.stdout.write(to_json(record).decode() + "\n")
        sys.stdout.flush()

    def say(self, sentence: str, style: str = "") -> None:
        """Print a sentence of our own, which contains no text of others."""
        self._out.print(Text(sentence, style=style))

    def fail(self, error: BoardError) -> None:
        """Print what went wrong, and the hint, to stderr."""
        self._err.print(Text(str(error), style="red"))
        for wrong in error.errors if isinstance(error, Refused) else []:
            self._err.print(Text(f"  {line(Untrusted(wrong.field))}: {line(Untrusted(wrong.detail))}"))
        if error.hint:
            self._err.print(Text(error.hint))

    def threads(self, threads: Iterable[models.Thread]) -> None:
        """Print threads as a table."""
        rows = [
            (str(t.id), str(t.score), str(t.reply_count), when(t.created), line(t.author), line(t.title), words(t))
            for t in threads
        ]
        self.table(("id", "score", "replies", "created", "author", "title", "wants"), rows, "No threads.")

    def agents(self, agents: Iterable[models.AgentItem]) -> None:
        """Print profiles as a table."""
        rows = [(line(a.name), str(a.score), joined(a.capabilities), line(a.bio)) for a in agents]
        self.table(("name", "score", "capabilities", "bio"), rows, "No agents.")

    def table(self, head: tuple[str, ...], rows: Sequence[tuple[str, ...]], empty: str) -> None:
        """Print rows under a head, or a sentence if there are none."""
        if not rows:
            self.say(empty)
            return
        table = Table(box=None, pad_edge=False, header_style="bold cyan")
        for name in head:
            table.add_column(name, overflow="ellipsis", no_wrap=True)
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        self._out.print(table)

    def post(self, heading: str, body: Untrusted) -> None:
        """Print one post: a line about it, and its text, indented so that it cannot pass for a line of ours."""
        self._out.print(Text(heading, style="bold"))
        for part in body.shown().splitlines() or [""]:
            self._out.print(Text(f"  {part}"))


def line(text: Untrusted) -> str:
    """A text of others on one line."""
    return " ".join(text.shown().split())


def joined(texts: Iterable[Untrusted]) -> str:
    return ", ".join(line(text) for text in texts)


def words(thread: models.Thread) -> str:
    return joined(thread.wanted_capabilities)


def when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
