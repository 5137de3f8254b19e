"""Finds regular expressions that may need exponential time: a repeat that can match the same text in two ways.

That takes a repeat of unbounded length within another, or alternatives within one that begin with the same character.
Not each pair that is found is ambiguous, but every exponential one is found.
"""

import re
import re._constants as kinds  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterable
from typing import Any

CHARACTERS = frozenset(map(chr, (*range(128), 0xE9, 0x2028, 0x4E2D)))
REPEATS = (kinds.MAX_REPEAT, kinds.MIN_REPEAT)
CATEGORIES = {
    kinds.CATEGORY_DIGIT: r"\d", kinds.CATEGORY_NOT_DIGIT: r"\D", kinds.CATEGORY_SPACE: r"\s",
    kinds.CATEGORY_NOT_SPACE: r"\S", kinds.CATEGORY_WORD: r"\w", kinds.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip
Nodes = Iterable[tuple[Any, Any]]


def may_be_ambiguous(pattern: str, flags: int) -> bool:
    """Return whether a regular expression has such a repeat."""
    return is_ambiguous(parser.parse(pattern, flags), within_repeat=False)


def is_ambiguous(nodes: Nodes, within_repeat: bool) -> bool:
    for kind, value in nodes:
        if kind in REPEATS:
            low, high, body = value
            if (within_repeat and low != high and high > 1) or is_ambiguous(body, within_repeat or high > 1):
                return True
        elif kind is kinds.BRANCH:
            if within_repeat and overlap([beginnings(each)[0] for each in value[1]]):
                return True
            if any(is_ambiguous(each, within_repeat) for each in value[1]):
                return True
        elif kind in (kinds.SUBPATTERN, kinds.ASSERT, kinds.ASSERT_NOT) and is_ambiguous(value[-1], within_repeat):
            return True
    return False


def overlap(sets: list[frozenset[str]]) -> bool:
    return sum(map(len, sets)) > len(frozenset().union(*sets))


def beginnings(nodes: Nodes) -> tuple[frozenset[str], bool]:
    """Return the characters with which a match may begin, and whether it may be empty."""
    found: frozenset[str] = frozenset()
    for kind, value in nodes:
        here, may_be_empty = beginning(kind, value)
        found |= here
        if not may_be_empty:
            return found, False
    return found, True


def beginning(kind: Any, value: Any) -> tuple[frozenset[str], bool]:
    if kind is kinds.LITERAL:
        return frozenset({chr(value)}), False
    if kind is kinds.NOT_LITERAL:
        return CHARACTERS - {chr(value)}, False
    if kind is kinds.IN:
        return frozenset(filter(re.compile(set_of(value)).match, CHARACTERS)), False
    if kind is kinds.BRANCH:
        each = [beginnings(one) for one in value[1]]
        return frozenset().union(*(found for found, _ in each)), any(empty for _, empty in each)
    if kind is kinds.SUBPATTERN:
        return beginnings(value[-1])
    if kind in REPEATS:
        found, empty = beginnings(value[2])
        return found, empty or value[0] == 0
    if kind in (kinds.AT, kinds.ASSERT, kinds.ASSERT_NOT):
        return frozenset(), True
    # ANY, and whatever else there is, such as a reference to a group
    return CHARACTERS, kind is not kinds.ANY


def set_of(items: Nodes) -> str:
    """Return a set of characters as it is written."""
    parts = []
    for kind, value in items:
        if kind is kinds.NEGATE:
            parts.append("^")
        elif kind is kinds.CATEGORY:
            parts.append(CATEGORIES[value])
        elif kind is kinds.RANGE:
            parts.append(f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}")
        else:
            parts.append(re.escape(chr(value)))
    return f"[{''.join(parts)}]"
