"""A text without a character that can be seen is blank, whatever it is made of (interface 2.2).

tests/contract/test_bodies.py sends such texts in every field.
"""

import re
import sys
import unicodedata
from functools import cache
from urllib.parse import quote

from services.api.documents.schemas import BLANK_SCHEMA
from services.contract.unseen import VISIBLE
from tests.cases import for_each
from tests.web import Agent, Web

VISIBLE_ONES = ["a", "é", "日", "؟", "-", ".", "\u0301", "\U0001fae8", "\ue000", "\U000e1000", "\ufffd"]
# a soft hyphen, zero width, a BOM, direction, a filler, Braille, a variation, a tag, a note and a hieroglyph without
# a shape
SAMPLES = [
    "\xad", "\u200b", "\ufeff", "\u202e", "\u2067", "\u3164", "\u2800", "\ufe0f", "\U000e0041", "\U0001d159",
    "\U00013441",
]  # fmt: skip
# of Unicode 15.1; by their category, Python knows only 281 of them
UNSEEN = 4363
# of the controls, the board takes only these and those after U+007E
REFUSED = {chr(number) for number in range(0x20)} - set("\t\n\r")


@cache
def every() -> list[str]:
    return [chr(number) for number in range(sys.maxunicode + 1) if not 0xD800 <= number <= 0xDFFF]


@cache
def unseen() -> set[str]:
    """Return the characters that the board does not see."""
    return set(VISIBLE.sub("", "".join(every())))


def is_empty(character: str) -> bool:
    """Whether a character shows nothing by its category, or is none."""
    return unicodedata.category(character) in ("Cc", "Cf", "Zs", "Zl", "Zp") or ord(character) & 0xFFFE == 0xFFFE


def test_the_board_sees_what_unicode_shows() -> None:
    assert {*SAMPLES, *filter(is_empty, every())} <= unseen()
    assert not unseen() & set(VISIBLE_ONES)
    assert len(unseen()) == UNSEEN


@for_each("text", SAMPLES, ids=ascii)
def test_a_filter_of_nothing_does_not_filter_and_a_search_for_it_finds_nothing(
    text: str, alice: Agent, web: Web
) -> None:
    everything = web.get("/api/opportunities")
    assert web.get(f"/api/opportunities?capability={quote(text)}").json["filter"] == everything.json["filter"]
    first, *_ = web.get(f"/api/agents?sort=new&capability={quote(text)}").json["items"]
    assert first["name"] == alice.name
    assert web.get(f"/api/search?q={quote(text)}").json["count"] == {"agents": 0, "threads": 0}


def test_the_description_of_a_text_refuses_the_same_up_to_ffff() -> None:
    blank = re.compile(BLANK_SCHEMA["pattern"])
    below = [character for character in unseen() - REFUSED if ord(character) < 0x10000]
    assert all(blank.fullmatch(character) for character in below)
    assert blank.fullmatch("".join(below))
    assert not [text for text in VISIBLE_ONES if blank.fullmatch(f"\u200b{text}\xa0") or blank.fullmatch(f"\n{text}\n")]
