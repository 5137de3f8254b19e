"""Names that look alike share a skeleton: those that UTS 39 confuses, and w and vv (interface 2.3)."""

import random
import string
import sys
from functools import cache

import pytest

from services.board.validation.skeletons import is_reserved, skeletons
from services.contract.bounds import NAME_MAX, RESERVED_NAMES
from services.contract.names import (
    could_be_name,
    could_be_slug,
    fault_of_name,
    fault_of_slug,
    is_letter,
    key_of,
    normal,
)
from tests.cases import for_each
from tests.operations.hand import Operator

CHARACTERS = set(string.ascii_letters + string.digits)
Pairs = set[tuple[str, str]]


@cache
def letters() -> list[str]:
    return [c for c in map(chr, range(sys.maxunicode + 1)) if is_letter(c)]


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
        assert skeletons(f"a{one}b") == skeletons(f"a{other}b")


def test_nothing_else_is_confused(pairs: Pairs) -> None:
    for character in CHARACTERS:
        alike = {character}
        while more := {other for one, other in pairs if one in alike} - alike:
            alike |= more
        assert {other for other in CHARACTERS if skeletons(other) == skeletons(character)} == alike & CHARACTERS


def test_the_database_compares_names_as_the_code_does(operator: Operator) -> None:
    chosen = random.Random(3)
    texts = (
        letters()
        + ["".join(chosen.choices(letters(), k=8)) for _ in range(2000)]
        + ["Straße", "ΣΑΣ ς", "İstanbul", "ǅ"]
    )
    found = operator.sql("SELECT name_key(t) FROM unnest($1::text[]) WITH ORDINALITY AS u (t, n) ORDER BY n", texts)
    assert [key for (key,) in found] == list(map(key_of, texts))


def test_a_key_is_its_own_key_and_fits_into_a_window_of_the_limiter() -> None:
    assert max(len(key_of(letter)) for letter in letters()) * NAME_MAX <= 160
    for letter in letters():
        assert key_of(key_of(letter)) == key_of(letter), letter


@for_each(
    "name",
    ["\u0410\u0433\u0435\u043d\u0442-7", "日本語", "GPT-4o (prod)", "O'Brien", "+1 bot", ":bot:",
     "カタカナー漢字ひらがな", "GPT君", "한국어 韓國語", "注音ㄅㄆ文", "Général", "नमस्ते", "แชทGPT", "မြန်မာ", "བོད་"[:-1],
     "שלום 2", "مساعد GPT", "٣ ربوت", "Tiếng Việt", "\u0410\u0433\u0435\u043d\u0442 GPT", "ＧＰＴ", "x", "7"],
)  # fmt: skip
def test_names_have_letters_of_one_script_and_latin_ones(name: str) -> None:
    assert fault_of_name(normal(name)) is None


@for_each(
    "name, fault",
    [
        ("p\u0430ypal", "one script"), ("\u0394elta", "one script"), ("\u0410\u0433\u0435\u043d\u0442 日本",
        "one script"), ("あ한", "one script"),
        ("Ꭺgent", "one script"), ("1٣", "digits of one kind"), ("٣۴", "digits of one kind"), ("-rf", "hyphen"),
        ("a  b", "two in a row"), ("a ", "end with a space"), ("()", "letter or a digit"), ("@", "letter or a digit"),
        ("a\u0301\u0301", "marks"), ("a\u0316\u0317\u0318\u0319\u031c", "marks"), ("_\u0301a", "marks"), ("\u0301a",
        "marks"),
        *((text, "may have letters") for text in (
            "a\u200bb", "\u202eevil", "\u3164", "a\ufe0f", "a\u034fb", "a\U000e0041", "𝓐gent", "ªgent", "ﷺ", "🦞",
            "a\u20dd", "a\u3000b", "a\u00a0b", "a/b", "a,b", "<b>", '"a"', "a?b", "#a", "a%41", "’a’", "a\U00016fe4",
            "a \U00013441", "\U0001e030",
        )),
    ],
)  # fmt: skip
def test_what_no_name_has_is_explained(name: str, fault: str) -> None:
    assert fault in (fault_of_name(normal(name)) or "")


@for_each(
    "one, other",
    [
        ("paypal", "раураl"), ("BOT", "\u0412\u041e\u0422"), ("bot", "\u0432\u043e\u0442"),
        ("\u0410\u0433\u0435\u043d\u0442", "\u0430\u0413\u0415\u041d\u0422"), ("ᎪᏚ", "AS"),
        ("אב 12", "12 אב"), ("مساعد GPT", "GPT مساعد"), ("工", "エ"), ("ＧＰＴ", "gpt"), ("Straße", "STRASSE"),
        ("m", "ⲅn"),
        ("ɑlice", "alice"), ("scope", "ѕсоре"), ("ǀ", "l"), ("ו", "l"),
    ],
)  # fmt: skip
def test_look_alikes_of_any_script_share_a_skeleton(one: str, other: str) -> None:
    assert not skeletons(one).isdisjoint(skeletons(other)) or key_of(one) == key_of(other)


@for_each("name", ["Меta", "ѕуѕтем", "ΜΕΤΑ", "ｒｏｏｔ", "@admin", "(me)", "ɡeneral"])
def test_reserved_names_are_reserved_in_any_script(name: str) -> None:
    assert is_reserved(name, RESERVED_NAMES)


def test_names_that_look_different_share_no_skeleton() -> None:
    names = ["van", "nan", "yan", "uan", "хан", "жан", "日", "月", "あ", "お", "ne", "né", "agents", "שלום", "עולם"]
    for one in names:
        assert [other for other in names if not skeletons(one).isdisjoint(skeletons(other))] == [one]


@for_each(
    "sent, kept",
    [("my_community", "my_community"), ("node.js", "node.js"), ("C++", "c++"), ("C#", "c#"), ("Général", "général"),
     ("Ge\u0301ne\u0301ral", "général"), ("Straße", "strasse"), ("日本語", "日本語"), ("ＡＩ", "ai"), ("Ελλάς",
     "ελλάσ"), ("42", "42")],
)  # fmt: skip
def test_slugs_are_compared_in_one_case_and_form(sent: str, kept: str) -> None:
    assert key_of(sent) == kept
    assert fault_of_slug(kept) is None


@for_each(
    "sent, suggested",
    [("AI / ML", "ai-ml"), ("日本 語", "日本-語"), ("a\\b", "a-b"), ("(beta)", "beta"), ("c++ tips", "c++-tips"),
     ("x" * 30 + "/" + "y" * 9, "x" * 30 + "-" + "y" * 9)],
)  # fmt: skip
def test_a_refused_slug_leads_to_another_one(sent: str, suggested: str) -> None:
    fault = fault_of_slug(key_of(sent)) or ""
    assert fault.endswith(f"no space and no slash: send {suggested}")
    assert fault_of_slug(suggested) is None


@pytest.mark.parametrize("text", ["\ud800", "a\udc80b", "", "a" * 41, "a/b", "a\nb"])
def test_what_the_database_cannot_hold_is_no_name_and_no_slug(text: str) -> None:
    assert not could_be_name(text)
    assert not could_be_slug(text)


def test_every_interpreter_knows_the_same_letters() -> None:
    assert len(letters()) == 138_107
