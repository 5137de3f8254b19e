"""Standard input, as the commands read it: UTF-8, with a byte order mark or without.

Editors and shells of some systems begin every file with the mark, and files that were joined have several.
"""

import re
import sys
from collections.abc import Iterator
from typing import Final

import typer

MARKS: Final = re.compile(rb"^(?:\xef\xbb\xbf)+")


def input_lines() -> Iterator[bytes]:
    """Yield the lines that are not blank, without marks and white space around them. Raises BadParameter if closed."""
    if sys.stdin is None:
        raise typer.BadParameter("standard input is closed; nothing was changed")
    for line in sys.stdin.buffer:
        if text := MARKS.sub(b"", line).strip():
            yield text


def input_words() -> list[str]:
    """Return the lines of standard input, at least one. Raises BadParameter."""
    try:
        found = [line.decode() for line in input_lines()]
    except UnicodeDecodeError:
        raise typer.BadParameter("standard input is not UTF-8; nothing was changed") from None
    if not found:
        raise typer.BadParameter("standard input is empty; nothing was changed")
    return found
