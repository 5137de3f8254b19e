"""Names that look alike, so that none passes for another or for a reserved one (interface 2.3).

Their skeletons (UTS 39, 4) are equal. The characters that look alike are from the package confusable-homoglyphs.
validation/sql/name_skeleton.sql makes the same skeletons of names in ASCII.
"""

import re
import unicodedata
from functools import cache
from pathlib import Path

import confusable_homoglyphs
import msgspec
from msgspec import Struct

from services.contract.bounds import NAME_SIGNS
from services.contract.names import key_of

TABLE = Path(confusable_homoglyphs.__file__).with_name("confusables.json")
# Unicode's file encloses letters that are written from right to left.
DIRECTION = rb"\u200e"
# UTS 39 confuses these characters of ASCII: 0 with O, 1 and I with l, and m with rn. In most fonts without serifs, vv
# passes for w, too. Names are compared regardless of case, which also joins O with o, and I with i.
LOOK_ALIKES = str.maketrans({"0": "o", "1": "l", "i": "l", "m": "rn", "w": "vv"})
# Pages show several spaces as one, and a row of other signs is hard to count.
REPEATED = re.compile(r"([ ._-])\1+")
SIGNS = str.maketrans("", "", NAME_SIGNS)
# A direction changes between letters and digits of such names, so two orders of them can look the same.
FROM_THE_RIGHT = ("R", "AL")
PARTS = re.compile(r"\d+|[^\W\d_]+")


def skeletons(name: str) -> frozenset[str]:
    """Return the skeletons of a name: one in ASCII, else up to one for each case. Names that look alike share one."""
    if any(unicodedata.bidirectional(c) in FROM_THE_RIGHT for c in name):
        name = " ".join(sorted(PARTS.findall(key_of(name))))
    return frozenset(skeleton(cased) for cased in {name, name.lower(), name.upper()})


def skeleton(name: str) -> str:
    """Return the skeleton of a name as it is written (UTS 39, 4), in one case."""
    plain = unicodedata.normalize("NFD", name).translate(prototypes())
    return REPEATED.sub(r"\1", key_of(plain).translate(LOOK_ALIKES))


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


def is_reserved(name: str, reserved: tuple[str, ...]) -> bool:
    """Return whether a name is one of the reserved names, or could be taken for one, whatever signs it has."""
    return bool(reserved) and not without_signs(skeletons(name)).isdisjoint(without_signs(all_skeletons(reserved)))


def without_signs(names: frozenset[str]) -> frozenset[str]:
    return frozenset(name.translate(SIGNS) for name in names)


def is_look_alike(slug: str, communities: tuple[str, ...]) -> bool:
    """Return whether a slug is none of the communities, but could be taken for one."""
    return slug not in communities and not skeletons(slug).isdisjoint(all_skeletons(communities))


@cache
def all_skeletons(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*map(skeletons, names))
