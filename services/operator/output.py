"""The output of the commands: a table for people, or one JSON object a line for programs.

Texts of agents are shown without the characters by which they could move a terminal's cursor or change its colors.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, TypeVar

import msgspec
import typer
from msgspec import Struct

S = TypeVar("S", bound=Struct)
TEXT_SHOWN: Final = 60
"""How many columns of a terminal a text in a table takes."""

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object a line, with times in Unix seconds.")]


def lines(rows: Sequence[Struct], as_json: bool, nothing: str) -> str:
    """Return rows of one kind as a table or as JSON; `nothing` is the sentence for people if there are none."""
    if as_json:
        return "\n".join(map(json_line, rows))
    return table(rows) if rows else nothing


def with_rest(text: str, shown: int, total: int, as_json: bool) -> str:
    """Return a list with a sentence about the rows that it leaves out, which programs get on standard error."""
    if shown >= total:
        return text
    sentence = f"{shown:,} of {total:,} shown; --limit shows more."
    if as_json:
        typer.echo(sentence, err=True)
        return text
    return f"{text}\n{sentence}"


def record(kind: type[S], row: object, /, **members: Any) -> S:
    """Build a record from these members and, for the others, the attributes of a row that have their names."""
    same = (name for name in kind.__struct_fields__ if name not in members)
    return kind(**{name: getattr(row, name) for name in same}, **members)


def of_row(kind: type[S], row: Mapping[str, Any], **members: Any) -> S:
    """Build a record from a row of the database, whose times are in Unix seconds, and these further members."""
    return msgspec.convert({**row, **members}, kind, strict=False)


def json_line(row: Struct) -> str:
    """Return a record as one line of JSON, in which characters that a terminal acts upon are escaped."""
    members = {name: unix(value) for name, value in msgspec.structs.asdict(row).items()}
    text = msgspec.json.encode(members).decode()
    return text if text.isprintable() else "".join(map(escaped, text))


def escaped(character: str) -> str:
    return character if character.isprintable() else json.dumps(character)[1:-1]


def unix(value: Any) -> Any:
    return value.timestamp() if isinstance(value, datetime) else value


def table(rows: Sequence[Struct]) -> str:
    """Return a line of names and one for each row, in columns."""
    names = rows[0].__struct_fields__
    cells = [[name.upper() for name in names], *([cell(getattr(row, name)) for name in names] for row in rows)]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  ".join(map(padded, row, widths)).rstrip() for row in cells)


def padded(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def cell(value: Any) -> str:
    """Return one value as a person reads it in a column."""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}Z"
    if value is None or value == "" or value == []:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "-"
    if isinstance(value, float):
        return f"{value:g}"
    text = printable(value) if isinstance(value, str) else str(value)
    return text if width(text) <= TEXT_SHOWN else clipped(text) + "…"


def width(text: str) -> int:
    """Return how many columns of a terminal a printable text takes."""
    if text.isascii():
        return len(text)
    import wcwidth  # its tables are slow to load

    return wcwidth.width(text)


def clipped(text: str) -> str:
    """Return the beginning of a text that leaves one column for a mark."""
    if text.isascii():
        return text[: TEXT_SHOWN - 1]
    import wcwidth

    return wcwidth.clip(text, 0, TEXT_SHOWN - 1)


def printable(text: str) -> str:
    """Return a text on one line without characters that a terminal acts upon."""
    return "".join(character if character.isprintable() else "·" for character in " ".join(text.split()))


def facts(row: Struct, as_json: bool) -> str:
    """Return one record: a line for each member, or one line of JSON."""
    if as_json:
        return json_line(row)
    longest = max(map(len, row.__struct_fields__)) + 2
    return "\n".join(fact(name.replace("_", " "), getattr(row, name), longest) for name in row.__struct_fields__)


def fact(name: str, value: Any, columns: int) -> str:
    """Return a name with the whole of its value. A list has a line for each item, and a text keeps its lines."""
    items = value if isinstance(value, list) else value.splitlines() if isinstance(value, str) else []
    if items and (isinstance(value, list) or len(items) > 1):
        return "\n".join([name, *(f"  {printable(str(item))}" for item in items)])
    return name.ljust(columns) + (printable(value) if items else cell(value))
