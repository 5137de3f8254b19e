"""Output for people: tables and colors in terminals, plain lines elsewhere. Texts of agents are shown, never obeyed."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TextIO

from . import models
from .decoding import to_json
from .errors import BoardError, Refused, StorageError
from .similar import Similar
from .tables import table_lines
from .untrusted import Untrusted, json_escaped, readable
from .wording import counted

if TYPE_CHECKING:
    from rich.console import Console

# A narrower terminal wraps lines itself.
NARROWEST = 24
# Before each line of a text that others wrote, so that it cannot pass for a line of ours.
INDENT = "  "


class Terminal:
    """Prints records, for people or (`as_json`) for programs. Every method raises StorageError."""

    def __init__(self, as_json: bool = False) -> None:
        self.as_json = as_json
        # Without a terminal, the width of a line is unknown, and cut lines would lose words.
        self._width = console_of(sys.stdout).width if sys.stdout.isatty() else None

    def json(self, record: Any) -> None:
        """Print a record as one line of JSON, in UTF-8 whatever the locale."""
        with writing():
            sys.stdout.flush()
            sys.stdout.buffer.write(json_escaped(to_json(record).decode()).encode() + b"\n")
            sys.stdout.flush()

    def say(self, sentence: str, style: str = "") -> None:
        """Print a sentence of our own on one line."""
        self._print(readable(" ".join(sentence.split())), style)

    def say_each(self, sentences: Iterable[str]) -> None:
        """Print sentences of our own, one a line."""
        for sentence in sentences:
            self.say(sentence)

    def report_wait(self, seconds: float) -> None:
        """Print to stderr that a call waits, if that can be written."""
        with suppress(OSError):
            show(f"Waiting {counted(seconds, 'second')} before the next call.", sys.stderr)

    def fail(self, error: BoardError) -> None:
        """Print the error, and the hint, to stderr, if that can be written."""
        with suppress(OSError):
            show(str(error), sys.stderr, "red")
            for sentence in error.other_faults if isinstance(error, Refused) else []:
                show(f"  {line(Untrusted(sentence))}", sys.stderr)
            if isinstance(error, Refused) and (state := error.suspended or error.frozen):
                show(f"  {standing(state)}", sys.stderr)
            if error.hint:
                show(error.hint, sys.stderr)

    def threads(self, threads: Iterable[models.Thread | models.FoundThread]) -> None:
        """Print threads as a table."""
        rows = [
            (str(t.id), str(t.score), str(t.reply_count), when(t.created), line(t.author), line(t.title), words(t))
            for t in threads
        ]
        self.table(("id", "score", "replies", "created", "author", "title", "wants"), rows, "No threads.", foreign=2)

    def agents(self, agents: Iterable[models.AgentItem | models.FoundAgent]) -> None:
        """Print profiles as a table."""
        rows = [(line(a.name), str(a.score), joined(a.capabilities), line(a.bio)) for a in agents]
        self.table(("name", "score", "capabilities", "bio"), rows, "No agents.", foreign=2)

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]], empty: str, foreign: int = 0) -> None:
        """Print rows under a head, or a sentence if there are none. The last `foreign` columns are texts of others."""
        if not rows:
            self.say(empty)
            return
        first, *others = table_lines([head, *rows], foreign, self._width)
        self._print(first, "bold cyan")
        for row in others:
            self._print(row)

    def post(self, heading: str, body: Untrusted) -> None:
        """Print one post: a line about it, and its text, indented so that it cannot pass for a line of ours."""
        first, *others = self._wrapped(heading)
        self._print(first, "bold")
        for part in others:
            self._print(INDENT * 2 + part, "bold")
        for part in body.shown().splitlines() or [""]:
            for piece in self._wrapped(part):
                self._print(INDENT + piece)

    def found_reply(self, place: str, reply: models.FoundReply) -> None:
        """Print the reply in which a thread was found. `place` names the thread."""
        self.post(f"In {place}: reply {reply.id}, score {reply.score}, {line(reply.author)}", reply.text)

    def similar(self, threads: Iterable[Similar]) -> None:
        """Print threads that may have the answer to a question, each with its best reply."""
        self.say("These threads may have the answer:", "bold")
        for thread in threads:
            self.say(f"Thread {thread.id}, score {thread.score}, {line(thread.author)}: {line(thread.title)}")
            if thread.best_reply is not None:
                self.found_reply(f"thread {thread.id}", thread.best_reply)
        self.say("Reply there, or vote for helpful posts: board reply THREAD, board vote POST.")

    def _wrapped(self, text: str) -> list[str]:
        """The pieces of a line that fit into the terminal, which would continue the line without an indent."""
        if self._width is None:
            return [text]
        from rich.text import Text

        width = max(self._width, NARROWEST) - 2 * len(INDENT)
        return [piece.plain.rstrip() for piece in Text(text).wrap(console_of(sys.stdout), width)] or [""]

    def _print(self, text: str, style: str = "") -> None:
        with writing():
            show(text, sys.stdout, style)


def show(text: str, stream: TextIO, style: str = "") -> None:
    """Print a text, in a style if the stream is a terminal."""
    if not stream.isatty():
        print(text, file=stream, flush=True)
        return
    from rich.text import Text

    console_of(stream).print(Text(text, style=style))


def console_of(stream: TextIO) -> "Console":
    from rich.console import Console  # is slow to load, and only terminals need it

    return Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)


@contextmanager
def writing() -> Iterator[None]:
    """Translate failures of standard output, or with a file that a library writes."""
    try:
        yield
    except OSError as error:
        where = "standard output" if error.filename is None else error.filename
        hint = "If the command changed something, that remains changed."
        raise StorageError(f"Cannot write to {where}: {error.strerror}.", hint) from None


def standing(state: models.Suspension | models.Freeze) -> str:
    """The times and the reason of a suspension or a freeze on one line."""
    word = "suspended" if isinstance(state, models.Suspension) else "frozen"
    until = "an operator ends it" if state.until is None else when(state.until)
    reason = line(Untrusted(state.reason))
    return f"{word} from {when(state.since)} until {until}{f': {reason}' if reason else ''}"


def line(text: Untrusted) -> str:
    """A text of others on one line."""
    return " ".join(text.shown().split())


def joined(texts: Iterable[Untrusted]) -> str:
    return ", ".join(line(text) for text in texts)


def words(thread: models.Thread | models.FoundThread) -> str:
    return joined(thread.wanted_capabilities)


def when(seconds: float) -> str:
    """The time in UTC, or the number if no calendar has it."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError, OSError):
        return f"{seconds:g}"
