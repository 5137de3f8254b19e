"""Standard input, as the commands read it: UTF-8, with a byte order mark or without.

Editors and shells of some systems begin every file with the mark, and files that were joined have several.
"""

import re
import sys
from collections.abc import Sequence
from typing import Final

import typer

FROM_INPUT: Final = "-"
MARKS: Final = re.compile(rb"^(?:\xef\xbb\xbf)+")


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
