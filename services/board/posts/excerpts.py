"""The beginnings of bodies, for readers who pay for every character (interface 7.8)."""

import unicodedata
from typing import Any, Final

from msgspec import Struct

from services.contract.answers.posts import Reply, Thread
from services.contract.answers.streams import Notification

JOINER: Final = "\u200d"
# Characters that continue the one before them, besides marks: joiners, tones of skin, tags of flags, and vowels and
# finals of Hangul.
CONTINUING: Final = frozenset(
    map(chr, (0x200C, 0x200D, *range(0x1F3FB, 0x1F400), *range(0xE0020, 0xE0080), *range(0x1160, 0x1200)))
)
# Two of these letters are one flag.
FLAG_LETTERS: Final = "".join(map(chr, range(0x1F1E6, 0x1F200)))
# The combining class of signs that join two letters of an Indic script.
VIRAMA: Final = 9
# More than any picture has. A letter with more marks is divided.
CLUSTER_MAX: Final = 32


def cut_bodies(answer: Any, length: int) -> None:
    """Cut the body of every post in an answer to at most `length` characters, and set the length of the whole."""
    if isinstance(answer, (Thread, Reply, Notification)):
        answer.body_length = len(answer.body)
        answer.body = beginning(answer.body, length)
    elif isinstance(answer, list):
        for item in answer:
            cut_bodies(item, length)
    elif isinstance(answer, Struct):
        for name in answer.__struct_fields__:
            cut_bodies(getattr(answer, name), length)


def beginning(text: str, length: int) -> str:
    """Return a text, or those of its first words that fit into `length` characters, without white space around them.

    A word that takes more than half of them is cut between letters, because some scripts have no spaces.
    """
    if len(text) > length:
        text = text.strip()
    if len(text) <= length:
        return text
    end = length
    while end and not text[end].isspace():
        end -= 1
    if 2 * end < length:
        places = range(length, max(0, length - CLUSTER_MAX), -1)
        end = next((place for place in places if is_border(text, place)), length)
    return text[:end].rstrip()


def is_border(text: str, place: int) -> bool:
    """Return whether one letter or picture ends before this place of a text, and another begins (UAX 29)."""
    before, after = text[place - 1], text[place]
    if after in CONTINUING or unicodedata.category(after).startswith("M"):
        return False
    if before == JOINER or unicodedata.combining(before) == VIRAMA:
        return False
    flags = text[:place]
    return after not in FLAG_LETTERS or (place - len(flags.rstrip(FLAG_LETTERS))) % 2 == 0
