"""Writes the tables of Unicode that the rules for names need; `make contract` runs it.

They come from the package confusable-homoglyphs, which takes a third of a second to load and knows far more than names
can hold. A test compares them with the package.
"""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import confusable_homoglyphs

from services.board.validation import names
from services.contract import scripts
from services.contract.bounds import NAME_SIGNS
from services.contract.names import is_letter

PACKAGE = Path(confusable_homoglyphs.__file__).parent
# Unicode's file encloses letters that are written from right to left.
DIRECTION = "\u200e"
HEAD = "# `make contract` made it from {}. License: unicode.org/license.txt\n"


def package_file(name: str) -> Any:
    return json.loads((PACKAGE / name).read_text(encoding="utf-8"))


def scripts_table() -> str:
    """Return a line for each script, with the ranges of its letters, marks and decimal digits in hexadecimal."""
    known = package_file("categories.json")
    wanted = {n for n, category in enumerate(known["categories"]) if category[0] in "LM" or category == "Nd"}
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for first, last, script, category in sorted(known["code_points_ranges"]):
        ranges = found[known["iso_15924_aliases"][script]]
        if category in wanted and ranges and ranges[-1][1] == first - 1:
            ranges[-1] = (ranges[-1][0], last)
        elif category in wanted:
            ranges.append((first, last))
    lines = (
        " ".join([script, *(f"{first:x}-{last:x}" for first, last in ranges)])
        for script, ranges in sorted(found.items())
        if ranges
    )
    return HEAD.format("Unicode's Scripts.txt") + "".join(f"{line}\n" for line in lines)


def look_alikes_table() -> str:
    """Return a line for each class of look-alikes: the text that stands for it, a space, and the characters."""
    classes = {prototype: confused_with(prototype, others) for prototype, others in confused().items()}
    lines = (f"{prototype} {''.join(sorted(members))}\n" for prototype, members in sorted(classes.items()) if members)
    return HEAD.format("Unicode's confusables.txt") + "".join(lines)


def confused() -> dict[str, set[str]]:
    """Return each prototype of UTS 39 with the characters that look like it."""
    others: dict[str, set[str]] = defaultdict(set)
    for one, alike in package_file("confusables.json").items():
        for other in alike:
            pair = [text.replace(DIRECTION, "") for text in (one, other["c"])]
            others[pair[0]].add(pair[1])
            others[pair[1]].add(pair[0])
    seen: set[str] = set()
    found = {}
    # all members of a class are linked with their prototype and nothing else; of two, the longer or ASCII one is it
    for one in sorted(others, key=lambda text: (-len(others[text]), -len(text), not text.isascii(), text)):
        if one not in seen:
            seen |= {one, *others[one]}
            found[one] = others[one]
    return found


def confused_with(prototype: str, others: set[str]) -> set[str]:
    """Return those of the characters that names can hold, in either case."""
    return {c for c in others if len(c) == 1 and (is_letter(c) or c in NAME_SIGNS) and c != prototype}


def write() -> None:
    """Write both tables."""
    scripts.TABLE.write_text(scripts_table(), encoding="utf-8")
    scripts.ranges.cache_clear()
    names.TABLE.write_text(look_alikes_table(), encoding="utf-8")


if __name__ == "__main__":
    write()
