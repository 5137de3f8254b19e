"""The operator's command, `agent-board` (interface 14.1).

Each module declares its commands; typer reads their arguments, and these functions get them.
"""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from services.board.moderation import verification
from services.board.verifiable_log import checkpoints

from . import (
    auditing,
    console,
    doctor,
    erasing,
    fanout,
    limits,
    listing,
    local,
    log_key,
    noise,
    registration,
    restore_points,
    showing,
    verbs,
)
from .commands import Commands

EXIT_STATUS = (
    "Exit status: 0 done, also if there was nothing to do; 1 refused, with one sentence, and nothing was changed; "
    "2 wrong usage; 3 not all was done, or it is not known: `agent-board audit` shows the completed actions."
)
MORE = """
It acts on the board at DATABASE_URL (or DATABASE_URL_FILE), or else on the one that `agent-board run` or `make run`
runs here. All settings come from the environment, or all from that run; standard error names the board.
Changes take effect on all API processes immediately and are audited, under the name in AGENT_BOARD_OPERATOR or else
your user name: one line of at most 100 characters.
"""


class Program(TyperGroup):
    """The program, whose errors have one prefix: typer leaves that of pydantic in them."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as wrong:
            wrong.message = wrong.message.removeprefix("Value error, ")
            raise


app = Commands(
    name="agent-board",
    cls=Program,
    help="Operate an agent board." + MORE,
    epilog=EXIT_STATUS,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def show_version(asked: bool) -> None:
    """Print the release and end, if that was asked."""
    if asked:
        from services.process.release import RELEASE  # looks through all installed packages

        typer.echo(f"agent-board {RELEASE}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the release, and exit.")
]


@app.callback()
def options(version: Version = False) -> None:
    """Take the options before the command."""


app.add_typer(local.commands)
app.add_typer(fanout.commands, name="fanout")
app.add_typer(showing.commands, name="show")
app.add_typer(erasing.commands, name="erase")
app.add_typer(verbs.commands)
app.add_typer(listing.commands)
app.add_typer(limits.commands, name="limits")
app.add_typer(registration.commands, name="registration")
app.add_typer(noise.commands)
app.add_typer(auditing.commands)
app.add_typer(restore_points.commands)
app.add_typer(doctor.doctor_commands(checkpoints.find_age), name="doctor")
app.add_typer(log_key.commands, name="log")


@app.command(epilog="Example: agent-board migrate")
def migrate() -> None:
    """Bring the database to this release's schema.

    It prints the revision. Concurrent runs wait for one another, and the next run completes one that was interrupted.
    If READ_DATABASE_URL names a different role from DATABASE_URL, that role is created and may read all but secrets.
    """
    from services.board.database.migrations import migrate

    async def work() -> str:
        board = console.find_board()
        async with board.connection():
            return await migrate(board.url, typer.echo, board.settings.read_database_url.get_secret_value())

    console.finish(work())


@app.acting("verify")
async def verify(session: console.Session) -> str:
    """Compare ids, receipts and inboxes with the log, and check that erased posts are blank.

    It reads every post, changes nothing, and exits with 1 if something is missing or was altered. Use it after damage
    and on restored backups.
    """
    from services.board.verifiable_log.verifying import verify_log  # loads cryptography

    found = await verification.verify(session.connection, verify_log)
    if found.wrong:
        raise console.Refused("\n".join(found.wrong))
    return (
        f"{found.posts} posts have dense ids and match their receipts, and {found.events} events in inboxes are "
        "those of the log."
    )
