"""The whole database at one moment, row by row, and its differences from another."""

import json
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from tests.operations.hand import Operator

Row = dict[str, Any]
Key = tuple[Any, ...]


class Snapshot(NamedTuple):
    """The columns of each table's primary key, and its rows as texts: few rows differ, and only these are read."""

    keys: dict[str, list[str]]
    rows: dict[str, set[str]]


# every table, including future ones, with the columns of its primary key
TABLES = """
SELECT c.relname::text, array_agg(a.attname::text ORDER BY a.attnum)
FROM pg_class c
JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY(i.indkey)
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition GROUP BY c.relname
"""
COUNT = """
SELECT count(*) FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'm') AND NOT relispartition
"""


@dataclass
class Difference:
    """The changes in one table: rows added, rows deleted, and the changed columns of other rows."""

    inserted: list[Row] = field(default_factory=list)
    deleted: list[Row] = field(default_factory=list)
    changed: dict[Key, set[str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.inserted or self.deleted or self.changed)


def snapshot(operator: Operator) -> Snapshot:
    """Every row of every table."""
    keys = keys_of(operator)
    found: dict[str, set[str]] = {table: set() for table in keys}
    rows = " UNION ALL ".join(f"SELECT '{table}', to_jsonb(t)::text FROM {table} t" for table in keys)
    for table, text in operator.sql(rows):
        found[table].add(text)
    return Snapshot(keys, found)


@cache
def keys_of(operator: Operator) -> dict[str, list[str]]:
    """The columns of each table's primary key; no test changes them."""
    keys: dict[str, list[str]] = dict(operator.sql(TABLES))
    ((count,),) = operator.sql(COUNT)
    assert count == len(keys), "a table without a primary key would not be looked at"
    return keys


def difference(before: Snapshot, after: Snapshot) -> dict[str, Difference]:
    """The tables that have changed."""
    found = {table: table_difference(before, after, table) for table in before.keys}
    return {table: changes for table, changes in found.items() if changes}


def table_difference(before: Snapshot, after: Snapshot, table: str) -> Difference:
    gone = by_key(before.rows[table] - after.rows[table], before.keys[table])
    new = by_key(after.rows[table] - before.rows[table], before.keys[table])
    return Difference(
        [new[key] for key in new.keys() - gone.keys()],
        [gone[key] for key in gone.keys() - new.keys()],
        {
            key: {column for column in gone[key] if gone[key][column] != new[key][column]}
            for key in gone.keys() & new.keys()
        },
    )


def by_key(texts: set[str], columns: list[str]) -> dict[Key, Row]:
    rows = [json.loads(text) for text in texts]
    return {tuple(row[column] for column in columns): row for row in rows}
