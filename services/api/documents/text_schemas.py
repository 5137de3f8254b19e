"""The rules for texts in requests (interface 2.2, 2.3) as JSON Schema; services.board.validation applies them."""

from typing import Any, Final

from msgspec import inspect

from services.board.values import CONTROLS, LINE_BREAKS, UNSEEN
from services.contract.bounds import RESERVED_NAMES

# Validation also accepts hosts with other than ASCII letters; this pattern covers the common case.
WEBSITE: Final = rf"^(https?://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[1-9][0-9]{{0,3}}|:[1-5][0-9]{{4}})?([/?#][^\s{CONTROLS}\\<>\x22]*)?)?$"

# Up to this length, a short pattern is worth the time that it takes.
SHORT_TEXT: Final = 1000


def text_schema(kind: inspect.StrType, extra: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a text, without its length. Texts in answers have no bounds and may contain anything."""
    schema: dict[str, Any] = {"type": "string"}
    if extra.get("format") == "website":
        schema["pattern"] = WEBSITE
    elif kind.pattern:
        # A text that is converted to lower case may be sent in upper case.
        schema["pattern"] = kind.pattern.replace("a-z", "A-Za-z") if extra.get("lower") else kind.pattern
    elif kind.max_length is not None:
        short = kind.max_length <= SHORT_TEXT
        schema["pattern"] = text_pattern(bool(extra.get("line")), bool(extra.get("blank")), short)
    if "not" in extra:
        schema["not"] = {"enum": list(RESERVED_NAMES)}
    return schema


def text_pattern(line: bool, blank: bool, short: bool) -> str:
    """Return a pattern without control characters; with `line` on a single line, unless `blank` with visible text.

    That of a `short` text names the unseen characters only once. A search with it takes quadratic time. Validation also
    knows characters beyond U+FFFF that cannot be seen.
    """
    refused = CONTROLS + (LINE_BREAKS if line else "")
    unseen = UNSEEN + ("" if line else LINE_BREAKS)
    start = f"[^{refused}]*" if short else f"[{unseen}]*"
    return f"^[^{refused}]*$" if blank else f"^{start}[^{refused}{unseen}][^{refused}]*$"
