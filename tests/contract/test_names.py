"""Names that look alike have one skeleton: exactly those that UTS 39 confuses (interface 2.3)."""

import string

from confusable_homoglyphs.confusables import confusables_data

from services.board.names import skeleton

CHARACTERS = set(string.ascii_letters + string.digits)
# what UTS 39 confuses among the characters of names; a name is compared regardless of case
CONFUSED = {
    (one, other["c"]) for one in CHARACTERS for other in confusables_data.get(one, ()) if set(other["c"]) <= CHARACTERS
}
PAIRS = CONFUSED | {(other, one) for one, other in CONFUSED} | {(one, one.swapcase()) for one in CHARACTERS}


def test_what_uts_39_confuses_has_one_skeleton() -> None:
    assert ("m", "rn") in CONFUSED
    for one, other in PAIRS:
        assert skeleton(f"a{one}b") == skeleton(f"a{other}b")


def test_nothing_else_is_confused() -> None:
    for character in CHARACTERS:
        alike = {character}
        while more := {other for one, other in PAIRS if one in alike} - alike:
            alike |= more
        assert {other for other in CHARACTERS if skeleton(other) == skeleton(character)} == alike & CHARACTERS
