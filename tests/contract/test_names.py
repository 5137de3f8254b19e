"""Names that look alike have one skeleton: those that UTS 39 confuses, and w and vv (interface 2.3)."""

import string

import pytest

from services.board.names import skeleton

CHARACTERS = set(string.ascii_letters + string.digits)
Pairs = set[tuple[str, str]]


@pytest.fixture(scope="module")
def confused() -> Pairs:
    """What UTS 39 confuses among the characters of names."""
    # its tables take a third of a second to import
    from confusable_homoglyphs.confusables import confusables_data

    confused = ((one, other["c"]) for one in CHARACTERS for other in confusables_data.get(one, ()))
    return {(one, other) for one, other in confused if set(other) <= CHARACTERS}


@pytest.fixture(scope="module")
def pairs(confused: Pairs) -> Pairs:
    """The same in both directions; a name is compared regardless of case."""
    return confused | {(other, one) for one, other in confused} | {(one, one.swapcase()) for one in CHARACTERS}


def test_what_uts_39_confuses_has_one_skeleton(confused: Pairs, pairs: Pairs) -> None:
    assert ("m", "rn") in confused
    for one, other in pairs:
        assert skeleton(f"a{one}b") == skeleton(f"a{other}b")


def test_two_of_v_look_like_w() -> None:
    assert skeleton("vvolf") == skeleton("WOLF")


def test_nothing_else_is_confused(pairs: Pairs) -> None:
    for character in CHARACTERS:
        alike = {character}
        while more := {other for one, other in pairs if one in alike} - alike:
            alike |= more
        assert {other for other in CHARACTERS if skeleton(other) == skeleton(character)} == alike & CHARACTERS
