"""The wrong values of each field of a body or a query, derived from its bounds, with their codes."""

from typing import Any
from urllib.parse import quote

from msgspec import Struct, inspect

from services.board.validation.bodies import rules_of, unwrap
from services.contract.bounds import RESERVED_NAMES
from tests.contract.values import values_of

Wrong = list[tuple[Any, str]]
Number = inspect.IntType | inspect.FloatType
BREAKS = "\n\r\x85\u2028"
# Nothing of them can be seen: tests/api/test_unseen_text.py has every such character.
BLANK = ("", " \u3000 ", "\u200b", "\xad\ufeff\u3164\u2800")
# In a query. In JSON, tests/api/test_bad_bodies.py has the forms of numbers.
NO_INTEGER = (
    "", "x", "1.0", "1e3", "1_0", "%2B1", "+1", "01", "00", "-0", "--1", "1,2", "%201", "1%20", "1%0A", "1%00",
    "%D9%A1", "%EF%BC%91", "0x1", "null", "true", "NaN", "9" * 5000,
)  # fmt: skip
NO_TIME = ("yesterday", "NaN", "1e")
# Neither an id nor a cursor.
NO_POSITION = ("x", "-1", "1.g", "1" * 17, "1." + "f" * 251)
# The first letter of one name is Cyrillic.
NO_NAME = (" a", "a ", "-a", "a  b", "@()", "a/b", "a\tb", "\u0430lice", "alice\u200b")
NO_SLUG = ("two words", "-a", "\U0001f99e", "...", "me\u200bta", "\u0430nnouncements")
NO_WEBSITE = (
    "example.com", "//example.com", "ftp://example.com", "javascript:alert(1)", "http://", "http:///x",
    "https://user@example.com", "https://user:pw@example.com", "http://a b", "http://a:99999", "http://[::1",
    "http://.", "http://%00", "http://a\u202eb", "http://a\\b", "http://a<b>", " http://a", 'http://a"b',
)  # fmt: skip
RESERVED = (
    *RESERVED_NAMES, "Me", "ADMIN", "Agent Board", "agent_board", "m.e", "adm1n", "ADMlN", "r00t", "rnoderator",
    "SUPP0RT", "tooIs", "Announcernents",
)  # fmt: skip


def wrong_values(schema: type[Struct], name: str) -> Wrong:
    """Return values that a field of a body refuses, with the code of each."""
    kind, extra, is_required, _ = rules_of(schema)[name]
    return [*([(None, "wrong_type")] if is_required else []), *wrong_of(kind, extra)]


def wrong_of(kind: inspect.Type, extra: dict[str, Any]) -> Wrong:
    match kind:
        case inspect.UnionType():
            return []  # depends on another field: tests/operations/test_create_subscription.py
        case inspect.ListType():
            items: Wrong = [([value], code) for value, code in wrong_of(*unwrap(kind.item_type))]
            none: Wrong = [([], "too_short")] if kind.min_length else []
            return [("sql", "wrong_type"), ({}, "wrong_type"), ([None], "wrong_type"), *items, *none]
        case inspect.LiteralType():
            return [(["thread"], "wrong_type"), ("no-such-value", "not_allowed_value"), ("", "not_allowed_value")]
        case inspect.IntType():
            return [(1.0, "wrong_type"), *no_numbers(), *outside(kind, extra)]
        case inspect.FloatType():
            return [*no_numbers(), *outside(kind, extra)]
        case inspect.StrType():
            return [(1, "wrong_type"), (["a"], "wrong_type"), *wrong_texts(kind, extra)]
    raise TypeError(f"no wrong values for {kind}")


def no_numbers() -> Wrong:
    return [("1", "wrong_type"), (True, "wrong_type"), ([1], "wrong_type")]


def outside(kind: Number, extra: dict[str, Any]) -> Wrong:
    """The numbers next to the bounds, and far from them."""
    if "values" in extra:
        return [(number, "not_allowed_value") for number in (min(extra["values"]) - 1, max(extra["values"]) + 1, 2**64)]
    assert kind.ge is not None
    assert kind.le is not None
    step = 1 if isinstance(kind, inspect.IntType) else 0.01
    return [(number, "out_of_range") for number in (kind.ge - step, -(2**64), kind.le + step, 2**64)]


def wrong_texts(kind: inspect.StrType, extra: dict[str, Any]) -> Wrong:
    if "cut" in extra:
        return []  # takes any text
    is_line = bool(extra.get("line") or kind.pattern)
    signs = ["\x00", "\x1b", *(BREAKS if is_line else "")]
    wrong: Wrong = [(f"a{sign}b", "control_character") for sign in signs]
    wrong += [] if extra.get("blank") else [(text, "blank") for text in BLANK]
    wrong += [("a,b", "bad_format")] if extra.get("one") else []
    wrong += [] if kind.max_length is None else [(one_more(kind, extra), "too_long")]
    wrong += [(text, "bad_format") for text in wrong_forms(kind, extra)]
    wrong += [("rneta", "not_allowed_value")] if extra.get("form") == "slug" else []
    return wrong + ([(name, "not_allowed_value") for name in RESERVED] if "not" in extra else [])


def wrong_forms(kind: inspect.StrType, extra: dict[str, Any]) -> tuple[str, ...]:
    if "form" in extra:
        return {"name": NO_NAME, "slug": NO_SLUG, "author": ()}[extra["form"]]
    return NO_WEBSITE if extra.get("format") == "website" else NO_POSITION if kind.pattern else ()


def one_more(kind: inspect.StrType | inspect.ListType, extra: dict[str, Any]) -> Any:
    """A value that is one longer than its bound."""
    most = kind.max_length or 0
    if isinstance(kind, inspect.ListType):
        items = {inspect.StrType: str, inspect.IntType: int}
        item = items.get(type(unwrap(kind.item_type)[0]))
        return [item(number) for number in range(1, most + 2)] if item else values_of(kind.item_type)[:1] * (most + 1)
    return ("https://example.com/" if extra.get("format") == "website" else "").ljust(most + 1, "a")


def wrong_parameters(schema: type[Struct], name: str) -> list[tuple[str, str]]:
    """Return what a parameter of a query refuses, as it stands in a URL, with the code of each."""
    kind, extra, _, may_be_empty = rules_of(schema)[name]
    refused = parameters_of(kind, extra)
    # an empty filter does not filter
    return [one for one in refused if one[0] or isinstance(kind, inspect.IntType) or not may_be_empty]


def parameters_of(kind: inspect.Type, extra: dict[str, Any]) -> list[tuple[str, str]]:
    match kind:
        case inspect.IntType():
            numbers = [(str(number), code) for number, code in outside(kind, extra)]
            return [*((form, "wrong_type") for form in NO_INTEGER), *numbers]
        case inspect.FloatType():
            numbers = [(str(number), code) for number, code in outside(kind, extra)]
            return [*((form, "wrong_type") for form in NO_TIME), *numbers, ("1e999", "out_of_range")]
        case inspect.ListType():
            return wrong_lists(kind)
    return [(quote(value, safe=""), code) for value, code in wrong_of(kind, extra) if isinstance(value, str)]


def wrong_lists(kind: inspect.ListType) -> list[tuple[str, str]]:
    item, extra = unwrap(kind.item_type)
    one = str(values_of(item)[0])
    items = [(form, code) for form, code in parameters_of(item, extra) if "," not in form]
    behind_another = [(f"{one},{form}", code) for form, code in items]
    many = ",".join([one] * ((kind.max_length or 0) + 1))
    return [*(each for each in items if each[0]), *behind_another, ("", "too_short"), (many, "too_many")]
