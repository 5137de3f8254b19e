"""`agent-board doctor`: whether what the board runs on is as it needs it."""

from urllib.parse import urlsplit

import typer

from services.board.database.primary import single_hosts
from services.board.database.requirements import find_lacking
from services.board.database.revision import revision_missing
from services.board.moderation.freeze_trial import find_unstopped
from services.board.search.search import Position, find_rewriting

from . import console
from .commands import Commands
from .output import AsJson, outcome

commands = Commands(
    no_args_is_help=True,
    epilog="Example: agent-board doctor database",
)


# With one command, typer would leave its name out.
@commands.callback()
def group() -> None:
    """Check what the board runs on, and change nothing."""


@commands.command(epilog="Example: agent-board doctor database")
def database(as_json: AsJson = False) -> None:
    """Report what the server of DATABASE_URL lacks: version, locale, extension, rights and settings.

    It needs no migrated database, so it also judges a server before the first start. On a migrated one it tries whether
    a freeze would stop every kind of write, in a transaction that it rolls back. A connection pooler and a standby are
    refused. Exits with 1 if something is missing.
    """

    async def work() -> str:
        board = console.find_board()
        reader = urlsplit(board.settings.read_database_url.get_secret_value()).username or ""
        async with board.connection() as connection:
            lacking = await find_lacking(connection, len(single_hosts(board.url)), reader)
            if tried := await revision_missing(connection) is None:
                lacking += await find_unstopped(connection, console.operator_name())
            index = await find_rewriting(connection) if tried else None
        if lacking:
            if as_json:
                typer.echo(outcome("", as_json, lacking=lacking))
            raise console.Refused("\n".join(lacking))
        proved = " A freeze would stop every kind of write." if tried else ""
        found = f"The server has everything that the board needs.{proved}{progress(index)}"
        return outcome(found, as_json, lacking=lacking)

    console.finish(work())


def progress(index: Position | None) -> str:
    """Return how far the search index is, as a second sentence; empty if it has all posts."""
    if index is None:
        return ""
    return f" The search index has passed post {index.last_id}, {index.behind} remain: searches are incomplete."
