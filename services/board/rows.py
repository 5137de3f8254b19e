"""Rows of the database: structs from the names of their columns, and rows of several readers at once."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

import asyncpg
from msgspec import UNSET, Struct
from msgspec.structs import fields

Row = Mapping[str, Any]
S = TypeVar("S", bound=Struct)


def columns(fields: Iterable[str], computed: Mapping[str, str], table: str = "") -> str:
    """Return the columns of a SELECT in the order of these fields: the computed ones as such, the others by name."""
    return ", ".join(f"{computed[name]} AS {name}" if name in computed else f"{table}{name}" for name in fields)


def struct_from(kind: type[S], row: Row, /, **more: object) -> S:
    """Return a struct of the columns named as the fields that it always has, and of fields that no column has."""
    return kind(**{name: row[name] for name in always(kind) if name not in more}, **more)


@cache
def always(kind: type[Struct]) -> tuple[str, ...]:
    """Return the names of the fields that an answer always has."""
    return tuple(field.name for field in fields(kind) if field.default is not UNSET)


def named(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
    """Return the rows of an array in a row, with the names that they have lost; further columns are left out."""
    return [dict(zip(columns, row, strict=False)) for row in rows]


def rows_of_holders(rows: Sequence[asyncpg.Record], readers: int, key: str) -> list[list[asyncpg.Record] | None]:
    """Return the rows of each reader, in their order; None for a reader without any, whose token does not work.

    The column `reader` counts from 1. A reader with an empty page has one row, in which the column `key` is NULL.
    """
    pages: list[list[asyncpg.Record]] = [[] for _ in range(readers)]
    for row in rows:
        pages[row["reader"] - 1].append(row)
    return [[row for row in page if row[key] is not None] if page else None for page in pages]
