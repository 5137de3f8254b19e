"""The arguments of a tool: their schema, which follows from the table of the tools, and the check of a call.

Nothing that a caller sends is dropped: an argument that a tool does not have could have been what the caller meant.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import islice
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError, create_model

from .errors import BoardError

# An empty text is not a value: an argument without a value is left out, or null.
Text = Annotated[str, Field(min_length=1)]
WRONG_SHOWN = 5
NAME_SHOWN = 60


def without_fraction(value: Any) -> Any:
    """Return 1.0 as 1, because both are the same number in JSON."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


WITHOUT_FRACTION = BeforeValidator(without_fraction)
Whole = Annotated[int, WITHOUT_FRACTION]
# Bounds come before the conversion, or the schema would not have them.
Count = Annotated[int, Field(ge=0), WITHOUT_FRACTION]


class Arguments:
    """The arguments of a tool. An optional one has a type, or a type and a default."""

    def __init__(self, tool: str, required: Mapping[str, Any], optional: Mapping[str, Any]) -> None:
        fields: dict[str, Any] = {name: (kind, ...) for name, kind in required.items()}
        for name, kind in optional.items():
            fields[name] = kind if isinstance(kind, tuple) else (kind | None, None)
        self.model = create_model(tool, __config__=ConfigDict(extra="forbid", strict=True), **fields)
        # It allows no others.
        self.schema: dict[str, Any] = compact(self.model.model_json_schema())

    def checked(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments that have a value, or a default if they were not sent or are null.

        Raises BoardError, with the wrong names.
        """
        fields = self.model.model_fields
        meant = {name: sent[name] for name in fields if name in sent}
        meant = {name: value for name, value in meant.items() if value is not None or fields[name].is_required()}
        try:
            given = self.model.model_validate(meant | {name: sent[name] for name in first_unknown(sent, fields)})
        except ValidationError as errors:
            wrong = [self.sentence(error) for error in errors.errors(include_url=False)]
            raise BoardError(f"Nothing was sent to the board. {' '.join(wrong[:WRONG_SHOWN])}") from None
        return {name: getattr(given, name) for name in fields if getattr(given, name) is not None}

    def sentence(self, error: Mapping[str, Any]) -> str:
        name = ".".join(str(part) for part in error["loc"])
        if error["type"] == "extra_forbidden":
            return unknown_names("argument", [name], list(self.model.model_fields))
        return f"{name}: {error['msg']}."


def compact(schema: Any) -> Any:
    """Return a schema without parts that a model need not read: titles, null, and defaults that are null."""
    if isinstance(schema, list):
        return [compact(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "anyOf" in schema:
        (kind,) = [part for part in schema["anyOf"] if part != {"type": "null"}]
        schema = {name: value for name, value in schema.items() if name != "anyOf"} | kind
    return {
        name: {own: compact(value) for own, value in part.items()} if name == "properties" else compact(part)
        for name, part in schema.items()
        if name != "title" and (name, part) != ("default", None)
    }


def first_unknown(sent: Iterable[str], known: Container[str]) -> list[str]:
    """Return as many of the names without a meaning as are shown: a caller may send thousands."""
    return list(islice((name for name in sent if name not in known), WRONG_SHOWN))


def unknown_names(kind: str, unknown: Sequence[str], allowed: Sequence[str]) -> str:
    """Return the sentences about names that a caller sent and that have no meaning."""
    shown = ", ".join(name[:NAME_SHOWN] for name in unknown)
    return f"{shown}: This {kind} is unknown. Allowed: {', '.join(allowed) or 'none'}."
