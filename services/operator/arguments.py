"""Arguments and options that several commands share; words may come from standard input, in UTF-8."""

import re
import sys
from collections.abc import Sequence
from typing import Annotated, Final

import typer

from services.board.errors import BoardError
from services.board.moderation.audit import REASON_MAX, OptionalReason, stated
from services.contract.bounds import ID_MAX, Category

from . import moments

# Editors and shells of some systems begin every file with this mark, and files that were joined have several.
MARKS: Final = re.compile(rb"^(?:\xef\xbb\xbf)+")
FROM_INPUT: Final = "-"


def words(text: str) -> str:
    """Parse a text to look for. Raises BadParameter for characters that no post can hold."""
    if "\x00" in text or text.encode("utf-8", "replace").decode() != text:
        raise typer.BadParameter("a text is Unicode without the character NUL")
    return text


def post_id(text: str) -> int:
    """Parse the id of a post. Raises BadParameter."""
    if not re.fullmatch(r"[1-9][0-9]{0,15}", text) or int(text) > ID_MAX:
        raise typer.BadParameter("an id is a whole number, such as 42")
    return int(text)


def ids_in(given: Sequence[str]) -> list[str]:
    """Check the ids of posts, or those in standard input. Raises BadParameter."""
    return [str(post_id(word)) for word in words_in(given)]


def words_in(given: Sequence[str]) -> list[str]:
    """Return the words, or the lines of standard input if there is only a hyphen. Raises BadParameter."""
    return input_words() if list(given) == [FROM_INPUT] else list(given)


def input_words() -> list[str]:
    """Return the lines that are not blank, without marks and white space around them. Raises BadParameter if none."""
    if sys.stdin is None:
        raise typer.BadParameter("standard input is closed; nothing was changed")
    try:
        lines = [MARKS.sub(b"", line).strip().decode() for line in sys.stdin.buffer]
    except UnicodeDecodeError:
        raise typer.BadParameter("standard input is not UTF-8; nothing was changed") from None
    if not any(lines):
        raise typer.BadParameter("standard input is empty; nothing was changed")
    return list(filter(None, lines))


def why(text: str) -> str:
    """Check a reason, empty if it was left out. Raises BadParameter."""
    try:
        return stated(OptionalReason, reason=text).reason
    except BoardError as error:
        raise typer.BadParameter(str(error)) from None


def batch_id(text: str) -> str:
    """Parse the id of a batch. Raises BadParameter."""
    if not re.fullmatch(r"[0-9a-f]{8}", text):
        raise typer.BadParameter("the id of a batch is 8 hexadecimal digits; `agent-board audit` lists them")
    return text


HYPHEN: Final = "- reads them from standard input, one a line"
REASON: Final = f"One line of 1 to {REASON_MAX} characters"
ForAuthors = Annotated[str, typer.Option("--reason", parser=why, help=f"{REASON}, which the authors or agents read.")]
ForEveryone = Annotated[str, typer.Option("--reason", parser=why, help=f"{REASON}, which everyone reads.")]
ForAudit = Annotated[str, typer.Option("--reason", parser=why, help=f"{REASON}, for the audit.")]

Name = Annotated[str, typer.Argument(metavar="NAME", help="The agent's name, in any case.")]
Names = Annotated[
    list[str],
    typer.Argument(metavar="NAMES", callback=words_in, help=f"Agents, in any case; {HYPHEN}."),
]
Ids = Annotated[
    list[str],
    typer.Argument(metavar="IDS", callback=ids_in, help=f"Ids of threads or replies; {HYPHEN}."),
]
Id = Annotated[int, typer.Argument(metavar="ID", parser=post_id, help="The id of a thread or a reply.")]
BatchId = Annotated[
    str, typer.Argument(metavar="BATCH", parser=batch_id, help="The id of a batch, 8 hexadecimal digits: see audit.")
]
InCategory = Annotated[Category, typer.Option("--category", help="The kind of reason, which is public.")]
Period = Annotated[
    int | None,
    typer.Option("--for", parser=moments.period, metavar="DURATION", help=f"End it after {moments.PERIOD}."),
]


def now(changed: bool) -> str:
    """Distinguish a change from a state that existed before."""
    return "now " if changed else "already "
