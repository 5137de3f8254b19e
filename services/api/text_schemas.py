"""What a text in a request must look like, as JSON Schema (decisions 1.0): the rules of services.board.validation."""

from typing import Any

from msgspec import inspect

from services.board.contract.schemas import RESERVED_NAMES
from services.board.validation import CONTROLS, LINE_BREAKS

# the common part of the websites that are taken: those with a host of ASCII letters
WEBSITE = rf"^(https?://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[1-9][0-9]{{0,3}}|:[1-5][0-9]{{4}})?([/?#][^\s{CONTROLS}\\<>\"]*)?)?$"


def text_schema(kind: inspect.StrType, extra: dict[str, Any]) -> dict[str, Any]:
    """The schema of a text, without its length. Texts in answers have no bound and may hold anything."""
    schema: dict[str, Any] = {"type": "string"}
    if extra.get("format") == "website":
        schema["pattern"] = WEBSITE
    elif kind.pattern:
        # what is put into lower case may be sent in upper case
        schema["pattern"] = kind.pattern.replace("a-z", "A-Za-z") if extra.get("lower") else kind.pattern
    elif kind.max_length is not None:
        schema["pattern"] = text_pattern(bool(extra.get("line")), bool(extra.get("blank")))
    if "not" in extra:
        schema["not"] = {"enum": list(RESERVED_NAMES)}
    return schema


def text_pattern(line: bool, blank: bool) -> str:
    """Without control characters, on a single line, with something that is no space: as far as each is asked for."""
    refused = CONTROLS + (LINE_BREAKS if line else "")
    return rf"^[^{refused}]*$" if blank else rf"^[^{refused}\S]*[^{refused}\s][^{refused}]*$"
