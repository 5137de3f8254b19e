"""The rules for texts in requests (interface 2.2, 2.3) as JSON Schema; services.board.validation applies them."""

from typing import Any, Final

from msgspec import inspect

from services.board.values import CONTROLS, LINE_BREAKS, UNSEEN
from services.contract.bounds import RESERVED_NAMES

# Validation also accepts hosts with other than ASCII letters; this pattern covers the common case.
WEBSITE: Final = rf"^(https?://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[1-9][0-9]{{0,3}}|:[1-5][0-9]{{4}})?([/?#][^\s{CONTROLS}\\<>\x22]*)?)?$"

# The component for a text without a visible character: its pattern is long, and every other text refers to it.
# Validation also knows characters beyond U+FFFF that cannot be seen.
BLANK: Final = "Blank"
BLANK_SCHEMA: Final[dict[str, Any]] = {
    "type": "string",
    "pattern": f"^[{UNSEEN}{LINE_BREAKS}]*$",
    "description": "A text in which nothing can be seen.",
}


def text_schema(kind: inspect.StrType, extra: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a text, without its length. Texts in answers have no bounds and may contain anything."""
    schema: dict[str, Any] = {"type": "string"}
    if extra.get("format") == "website":
        schema["pattern"] = WEBSITE
    elif kind.pattern:
        schema["pattern"] = kind.pattern
    elif kind.max_length is not None:
        refused = CONTROLS + (LINE_BREAKS if extra.get("line") else "")
        schema["pattern"] = f"^[^{refused}]*$"
        schema |= {} if extra.get("blank") else {"not": {"$ref": f"#/components/schemas/{BLANK}"}}
    if "not" in extra:
        schema["not"] = {"enum": list(RESERVED_NAMES)}
    return schema
