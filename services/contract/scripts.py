"""The scripts of letters, marks and digits (Unicode's property Script), from the table `scripts.txt`."""

from bisect import bisect_right
from functools import cache
from pathlib import Path
from typing import Final

TABLE: Final = Path(__file__).with_suffix(".txt")
# What belongs to every script: most marks, digits from 0 to 9, and the prolonging sign of Japanese.
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


@cache
def ranges() -> tuple[list[int], list[tuple[int, str]]]:
    """Return the first code points of all ranges, in their order, and the last ones with their scripts."""
    lines = (line.split() for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    found = [(part.split("-"), script) for script, *parts in lines for part in parts]
    found.sort(key=lambda row: int(row[0][0], 16))
    return [int(first, 16) for (first, _), _ in found], [(int(last, 16), script) for (_, last), script in found]


def script_of(character: str) -> str | None:
    """Return the script of a letter, mark or decimal digit, such as LATIN; None for anything else, as far as known."""
    firsts, others = ranges()
    at = bisect_right(firsts, ord(character)) - 1
    last, script = others[at] if at >= 0 else (-1, "")
    return script if ord(character) <= last else None


def scripts_of(text: str) -> frozenset[str]:
    """Return the scripts of a text, without those that belong to every script."""
    return frozenset(script for c in text if (script := script_of(c)) is not None) - SHARED


def are_one(scripts: frozenset[str]) -> bool:
    """Return whether scripts are one at most, or written together."""
    return len(scripts) <= 1 or any(scripts <= together for together in TOGETHER)
