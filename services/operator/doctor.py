"""`agent-board doctor`: the faults of the board and of its servers."""

from urllib.parse import urlsplit

from services.board.database.primary import single_hosts
from services.board.database.requirements import find_lacking
from services.board.database.revision import revision_missing

from . import console, troubles
from .commands import Commands
from .troubles import FindAge


def doctor_commands(find_log_age: FindAge) -> Commands:
    """Return the commands. `find_log_age` finds for how long the verifiable log has waited to be signed."""
    commands = Commands(
        help="Check the board and its servers, and change nothing.", no_args_is_help=True,
        epilog="Example: agent-board doctor database",
    )  # fmt: skip
    commands.command(epilog="Example: agent-board doctor database")(database)

    @commands.command(epilog="Example: agent-board doctor board")
    def board() -> None:
        """Report the faults that keep the running board from its promises, next to one of its API processes.

        It looks at the health of that process and of the limiter, the connections in use, the standby, invalid indexes,
        the lag of the fan-out, and the signing of the log. Exits with 1 if something is wrong.
        """
        console.finish(judged(find_log_age))

    return commands


def database() -> None:
    """Report the requirements that the server of DATABASE_URL lacks: version, locale, extension, rights and settings.

    It needs no migrated database, so it also judges a server before the first start. A connection pooler and a
    standby are refused. Exits with 1 if something is missing.
    """

    async def work() -> str:
        board = console.find_board()
        reader = urlsplit(board.settings.read_database_url.get_secret_value()).username or ""
        async with board.connection() as connection:
            lacking = await find_lacking(connection, len(single_hosts(board.url)), reader)
        if lacking:
            raise console.Refused("\n".join(lacking))
        return "The server has everything that the board needs."

    console.finish(work())


async def judged(find_log_age: FindAge) -> str:
    """Return that all is well. Raises Refused with a sentence for each thing that is wrong."""
    board = console.find_board()
    async with board.connection() as connection:
        if missing := await revision_missing(connection):
            raise console.Refused(missing)
        wrong = await troubles.find_troubles(connection, board.settings.port, find_log_age)
    if wrong:
        raise console.Refused("\n".join(wrong))
    return "All is well."
