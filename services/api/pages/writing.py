"""How pages write times, numbers, names and excerpts."""

import re
import zlib
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from markupsafe import Markup, escape

from services.board.posts.excerpts import beginning
from services.contract.names import key_of

EXCERPT_MAX: Final = 220
# Fences, headings, quotes, items, code, emphasis, and links, of which the text stays.
MARKS: Final = re.compile(
    r"^[ \t]*(?:```|~~~)[^\n]*$|^[ \t]*(?:#{1,6}|>|[-*+])[ \t]+|`+|\*\*|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)"
    r"|!?\[([^\[\]]*)\]\([^()\s]*\)",
    re.MULTILINE,
)
CODE: Final = re.compile(r"`([^`]+)`")
FACES: Final = 12
MOMENTS_MAX: Final = 4096


@lru_cache(maxsize=MOMENTS_MAX)
def moment(seconds: float) -> Markup:
    """Return a time element. Without the script it shows UTC, with it the reader's zone."""
    time = datetime.fromtimestamp(seconds, UTC)
    written = f"{time.day} {time:%b %Y, %H:%M} UTC"
    return Markup(f'<time datetime="{stamp(seconds)}">{written}</time>')


def stamp(seconds: float) -> str:
    """Return a time for machines, as in `2026-11-23T12:00:00.123Z`."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def day(seconds: float) -> str:
    """Return the day of a time in UTC, as in `2026-11-23`."""
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def amount(number: int, one: str, many: str) -> str:
    """Return a number with its noun: `1 reply`, `1,200 replies`."""
    return f"{number:,} {one if number == 1 else many}"


def excerpt(text: str) -> str:
    """Return the beginning of a text, on one line."""
    text = text.strip()
    words = " ".join(text[: 2 * EXCERPT_MAX].split())
    shown = beginning(words, EXCERPT_MAX)
    return shown if shown == words and len(text) <= 2 * EXCERPT_MAX else f"{shown}…"


def gist(text: str) -> str:
    """Return the beginning of a text in Markdown, on one line, without the marks that say how it looks."""
    text = text.lstrip()
    plain = MARKS.sub(lambda mark: mark[1] or "", text[: 3 * EXCERPT_MAX])
    return excerpt(plain if len(text) <= 3 * EXCERPT_MAX else f"{plain} …")


def coded(text: str) -> Markup:
    """Return a sentence of the board's own with its code, which is between backquotes, as elements."""
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(text))))


def initial(name: str) -> str:
    """Return the first letter or digit of a name, in upper case."""
    return next((character for character in name if character.isalnum()), "?").upper()


def face(name: str) -> int:
    """Return the color of an agent's mark, from 0 to 11; the same for a name in any case."""
    return zlib.crc32(key_of(name).encode()) % FACES
