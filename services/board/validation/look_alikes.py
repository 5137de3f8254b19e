"""The characters that look like others (UTS 39, 4), from the package confusable-homoglyphs."""

from functools import cache
from pathlib import Path

import confusable_homoglyphs
import msgspec
from msgspec import Struct

TABLE = Path(confusable_homoglyphs.__file__).with_name("confusables.json")
# Unicode's file encloses letters that are written from right to left.
DIRECTION = rb"\u200e"


class Alike(Struct, gc=False):
    """A text that looks like its key in the table."""

    c: str


@cache
def prototypes() -> dict[int, str]:
    """Return the text that each character looks like, as `str.translate` takes it."""
    table = msgspec.json.decode(TABLE.read_bytes().replace(DIRECTION, b""), type=dict[str, list[Alike]])

    def order(text: str) -> tuple[int, int, bool, str]:
        # all members of a class are under their prototype and nothing else; of two, the longer or ASCII one is it
        return -len(table[text]), -len(text), not text.isascii(), text

    return {
        ord(text): first.c for text, (first, *_) in table.items() if len(text) == 1 and order(first.c) < order(text)
    }
