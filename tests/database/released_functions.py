"""The SQL functions that the processes of the newest release call: `make released` keeps them.

The functions of the next release replace them while these processes still run.
"""

import asyncio
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import asyncpg
import msgspec
from msgspec import Struct

from services.board.database.migrations import migrate
from services.board.database.revision import BOARD, function_files
from services.local.postgresql import PostgreSQL

KEPT = Path(__file__).with_suffix(".json")
SIGNATURES = """
SELECT proname::text AS name, pronargs - pronargdefaults AS required,
    ARRAY(SELECT format_type(t, NULL) FROM unnest(proargtypes) WITH ORDINALITY AS a(t, n) ORDER BY n) AS arguments,
    ARRAY(SELECT name FROM unnest(proargnames, proargmodes) AS a(name, mode) WHERE mode = 't') AS columns
FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname = ANY($1)
"""


class Function(Struct, frozen=True):
    """The types of all arguments, how many must be given, and the columns of the rows that it returns."""

    arguments: list[str]
    required: int
    columns: list[str]

    def serves(self, called: "Function") -> bool:
        """Whether a process that calls the function of an earlier release can call this one."""
        count = len(called.arguments)
        return (
            self.arguments[:count] == called.arguments
            and self.required <= called.required
            and set(called.columns) <= set(self.columns)
        )


def called_functions() -> list[str]:
    """Return the names of the SQL functions that Python calls."""
    source = "\n".join(file.read_text() for file in BOARD.parent.rglob("*.py"))
    called = set(re.findall(r"\b(\w+)\(", source))
    return [name for name in function_files() if name in called]


async def functions(connection: asyncpg.Connection, names: list[str]) -> dict[str, Function]:
    rows = await connection.fetch(SIGNATURES, names)
    return {row["name"]: Function(row["arguments"], row["required"], row["columns"]) for row in rows}


def kept_functions() -> dict[str, Function]:
    return msgspec.json.decode(KEPT.read_bytes(), type=dict[str, Function])


async def keep(url: str) -> None:
    await migrate(url, lambda _: None)
    connection = await asyncpg.connect(url)
    found = await functions(connection, called_functions())
    await connection.close()
    KEPT.write_bytes(msgspec.json.format(msgspec.json.encode(dict(sorted(found.items()))), indent=1) + b"\n")


def main() -> None:
    with TemporaryDirectory() as name, PostgreSQL(Path(name) / "postgresql", throwaway=True) as server:
        asyncio.run(keep(server.url()))


if __name__ == "__main__":
    main()
