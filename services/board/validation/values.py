"""Checks single values of a request: texts, numbers and choices (interface 2.2, 2.3, 3.3).

There is no coercion: neither `true` nor `1.0` is an integer.
"""

import re
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any
from unicodedata import normalize
from urllib.parse import urlsplit

from msgspec import inspect

from services.contract.bounds import COMMUNITIES
from services.contract.names import fault_of_name, fault_of_slug, key_of, normal
from services.contract.unseen import CONTROLS, LINE_BREAKS, VISIBLE

from .skeletons import is_look_alike, is_reserved

CONTROL = re.compile(f"[{CONTROLS}]")
SURROGATE = re.compile("[\ud800-\udfff]")
LINE_BREAK = re.compile(f"[{LINE_BREAKS}]")
# sequences that color a terminal, move its cursor or name its window
ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
# The rest of a word that was cut, which would count as a word of its own.
CUT_AT_ITS_END, CUT_AT_ITS_BEGIN = re.compile(r"\s\S{1,40}\Z"), re.compile(r"\A\S{1,40}\s")
# Format characters, which are invisible: joiners, soft hyphens, variation selectors, marks of direction.
INVISIBLE = re.compile(
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]+"
)
# a name in any script, or an IPv6 address
HOST = re.compile(r"[^\W_](?:[\w.-]*[^\W_])?\.?|[0-9a-f:.]*:[0-9a-f:.]*")


# Of how many characters a normal form can make one. Sorting the marks of a much longer text takes minutes.
COMPOSED_MAX = 4

# The form in which a name or a slug is kept, and the reason to refuse one.
FORMS: dict[str, Callable[[str], str]] = {"name": normal, "author": normal, "slug": key_of}
FAULTS: dict[str, Callable[[str], str | None]] = {"name": fault_of_name, "slug": fault_of_slug}


class Refused(Exception):
    """A value is refused; the arguments are those of its FieldError."""

    def __init__(self, code: str, detail: str, limit: float | None = None, actual: float | None = None) -> None:
        super().__init__(code)
        self.code, self.detail, self.limit, self.actual = code, detail, limit, actual


def checked_text(value: Any, kind: inspect.StrType, extra: dict[str, Any]) -> str:
    if not isinstance(value, str):
        raise Refused("wrong_type", "must be a string")
    text = trimmed(value) if extra.get("trim") else value
    if "cut" in extra:
        text = cleaned(text, extra["cut"])
    if "form" in extra and len(text) <= COMPOSED_MAX * (kind.max_length or 0):
        text = FORMS[extra["form"]](text)
    if kind.max_length is not None and len(text) > kind.max_length:
        detail = f"has {len(text)} characters; at most {kind.max_length} are allowed"
        raise Refused("too_long", detail, kind.max_length, len(text))
    check_characters(text, line=bool(extra.get("line") or kind.pattern))
    if not extra.get("blank") and not VISIBLE.search(text):
        raise Refused("blank", "must not be blank", 1, len(text))
    check_form(text, kind, extra)
    return text


def cleaned(pasted: str, length: int) -> str:
    """Return a text without escape sequences and control characters; of a longer one, the beginning and the end.

    A text is also cut if its normal form is longer, which can have 18 times as many characters.
    """
    text = ends(CONTROL.sub(" ", ESCAPE.sub("", pasted)), length)
    return text if len(form := normalize("NFKC", text)) <= length else ends(form, length)


def ends(text: str, length: int) -> str:
    """Return the beginning and the end of a longer text, without the words that are cut."""
    if len(text) <= length:
        return text
    half = length // 2
    return f"{CUT_AT_ITS_END.sub('', text[:half])} {CUT_AT_ITS_BEGIN.sub('', text[half + 1 - length :])}"


def trimmed(text: str) -> str:
    """Return the text without white space at both ends; nothing if no character of it can be seen."""
    return text.strip() if VISIBLE.search(text) else ""


def folded(tag: str) -> str:
    """Return the form in which tags of capabilities are compared (index_fold.sql).

    It is NFKC, in one case, without format characters, which are invisible.
    """
    decomposed = normalize("NFKD", INVISIBLE.sub("", tag))
    return normalize("NFKC", decomposed.upper().casefold())


def check_characters(text: str, line: bool) -> None:
    """Refuse characters that PostgreSQL cannot store, or that would break a single line of output."""
    if text.isprintable():
        return  # neither controls, surrogates nor line breaks count as printable
    if CONTROL.search(text):
        raise Refused("control_character", "contains a control character other than line feed, carriage return and tab")
    if SURROGATE.search(text):
        raise Refused("control_character", "contains a lone surrogate, which is not a character")
    if line and LINE_BREAK.search(text):
        raise Refused("control_character", "must be a single line")


def check_form(text: str, kind: inspect.StrType, extra: dict[str, Any]) -> None:
    form = extra.get("form")
    if extra.get("one") and "," in text:
        raise Refused("bad_format", "must be one value, without a comma")
    if form is None and kind.pattern and not re.fullmatch(kind.pattern, text):
        raise Refused("bad_format", extra.get("wrong") or f"must match {kind.pattern}")
    if form in FAULTS and (fault := FAULTS[form](text)) is not None:
        raise Refused("bad_format", fault)
    if form == "slug" and is_look_alike(text, COMMUNITIES):
        raise Refused("not_allowed_value", "looks like another community")
    if is_reserved(text, extra.get("not", ())):
        raise Refused("not_allowed_value", "is a reserved name or looks like one")
    if extra.get("format") == "website" and text and not is_website(text):
        raise Refused("bad_format", "must be empty or an absolute http or https URL without user information")


def is_website(text: str) -> bool:
    """Return whether the text is an absolute http(s) URL with a host and without user information."""
    try:
        url = urlsplit(text)
        port_is_valid = url.port is None or url.port >= 0
    except ValueError:
        return False
    plain = not re.search(r"[\s\\<>\"]", text) and "@" not in url.netloc
    return (
        plain and port_is_valid and url.scheme in ("http", "https") and HOST.fullmatch(url.hostname or "") is not None
    )


def checked_integer(value: Any, kind: inspect.IntType, extra: dict[str, Any]) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refused("wrong_type", "must be an integer")
    if "values" in extra and value not in extra["values"]:
        raise Refused("not_allowed_value", f"must be one of {', '.join(map(str, extra['values']))}")
    check_range(value, kind)
    return value


def checked_number(value: Any, kind: inspect.FloatType, extra: dict[str, Any]) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        raise Refused("wrong_type", "must be a number")
    check_range(value, kind)
    number = rounded(value, extra["decimals"]) if "decimals" in extra else float(value)
    return number + 0.0  # -0.0 becomes 0.0


def rounded(value: float, decimals: int) -> float:
    """Round half to even, in the shortest decimal form of the number: 0.135, which no double equals, becomes 0.14."""
    return float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN))


def check_range(value: float, kind: inspect.IntType | inspect.FloatType) -> None:
    # The response cannot contain a number beyond 64 bits.
    actual = value if abs(value) < 2**63 else None
    if kind.ge is not None and value < kind.ge:
        raise Refused("out_of_range", f"must be at least {kind.ge}", kind.ge, actual)
    if kind.le is not None and value > kind.le:
        raise Refused("out_of_range", f"must be at most {kind.le}", kind.le, actual)


def checked_literal(value: Any, kind: inspect.LiteralType, extra: dict[str, Any]) -> Any:
    if not isinstance(value, str):
        raise Refused("wrong_type", "must be a string")
    if value not in kind.values:
        raise Refused("not_allowed_value", f"must be one of {', '.join(map(str, kind.values))}")
    return value


CHECKS: dict[type[inspect.Type], Callable[[Any, Any, dict[str, Any]], Any]] = {
    inspect.StrType: checked_text,
    inspect.IntType: checked_integer,
    inspect.FloatType: checked_number,
    inspect.LiteralType: checked_literal,
}
