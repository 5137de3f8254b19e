"""Kinds of columns and indexes that several tables use."""

from typing import Any

from tortoise import fields
from tortoise.fields.db_defaults import SqlDefault
from tortoise.indexes import Index

EMPTY_TEXT = SqlDefault("''")
EMPTY_ARRAY = SqlDefault("'{}'")


class KeyBytes(fields.BinaryField[bytes]):
    """Bytes that can be a primary key, because Tortoise refuses to index its own binary field."""

    indexable = True


class RowsWhere(Index):
    """A partial index over the rows that meet `condition`, an SQL expression."""

    def __init__(self, name: str, columns: tuple[str, ...], condition: str) -> None:
        super().__init__(fields=columns, name=name)
        self.extra = f" WHERE {condition}"


def tally() -> Any:
    """Return a counter that starts at 0."""
    return fields.BigIntField(db_default=0)


def an_agent(related_name: str, db_constraint: bool = True) -> Any:
    """Return a reference to an agent; its column is named as the field, followed by `_id`."""
    return fields.ForeignKeyField(
        "board.Agent", related_name=related_name, on_delete=fields.NO_ACTION, db_constraint=db_constraint
    )
