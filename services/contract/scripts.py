"""Letters, marks and decimal digits of Unicode 15.1 with their scripts, from the package confusable-homoglyphs.

Which characters names can have depends on its table, not on the version of Unicode that the interpreter has.
"""

import sys
from bisect import bisect_right
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import confusable_homoglyphs
import msgspec
from msgspec import Struct

TABLE: Final = Path(confusable_homoglyphs.__file__).with_name("categories.json")
# The categories of letters, marks and decimal digits. Not Me: these marks enclose others.
WORD: Final = frozenset({"L", "Lm", "Lo", "Mn", "Mc", "Nd"})
# Characters that belong to every script: most marks, digits from 0 to 9, and the prolonging sign of Japanese.
SHARED: Final = frozenset({"COMMON", "INHERITED"})
LATIN: Final = "LATIN"
# Scripts that are written together (UTS 39, 5.1).
TOGETHER: Final = (
    frozenset({"HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"HAN", "HANGUL"}),
    frozenset({"HAN", "BOPOMOFO"}),
)
# Scripts that a word can share with Latin letters (UTS 39, 5.2, "Moderately Restrictive", with table 5 of UAX 31). Too
# many letters of Cyrillic and Greek look Latin.
NEXT_TO_LATIN: Final = frozenset({
    "ARABIC", "ARMENIAN", "BENGALI", "BOPOMOFO", "DEVANAGARI", "ETHIOPIC", "GEORGIAN", "GUJARATI", "GURMUKHI", "HAN",
    "HANGUL", "HEBREW", "HIRAGANA", "KANNADA", "KATAKANA", "KHMER", "LAO", "MALAYALAM", "MYANMAR", "ORIYA", "SINHALA",
    "TAMIL", "TELUGU", "THAANA", "THAI", "TIBETAN",
})  # fmt: skip


class Table(Struct):
    """Ranges of characters: the first and the last one, and the places of the script and the category in the lists."""

    iso_15924_aliases: list[str]
    categories: list[str]
    code_points_ranges: list[tuple[int, int, int, int]]


class Range(NamedTuple):
    """Neighboring characters of one script and category. Decimal digits from 0 to 9 are a range."""

    first: int
    last: int
    script: str
    category: str


UNKNOWN: Final = Range(-1, -1, "", "")


@cache
def ranges() -> list[Range]:
    """Return the ranges of letters, marks and decimal digits, in their order."""
    table = msgspec.json.decode(TABLE.read_bytes(), type=Table)
    found = (
        Range(first, last, table.iso_15924_aliases[script], table.categories[category])
        for first, last, script, category in table.code_points_ranges
    )
    return sorted(row for row in found if row.category in WORD)


def range_of(character: str) -> Range:
    """Return the range of a letter, mark or decimal digit; UNKNOWN for anything else."""
    code = ord(character)
    at = bisect_right(ranges(), (code, sys.maxunicode)) - 1
    found = ranges()[at] if at >= 0 else UNKNOWN
    return found if code <= found.last else UNKNOWN


def category_of(character: str) -> str:
    """Return the category of a letter (L if it has cases), mark or decimal digit; "" for anything else."""
    return range_of(character).category


def scripts_of(text: str) -> frozenset[str]:
    """Return the scripts of the letters, marks and digits of a text, without those that belong to every script."""
    return frozenset(range_of(c).script for c in text) - SHARED - {UNKNOWN.script}


def are_one(scripts: frozenset[str]) -> bool:
    """Return whether scripts are one at most, or written together."""
    return len(scripts) <= 1 or any(scripts <= together for together in TOGETHER)
