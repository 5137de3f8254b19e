"""The operator's command, `agent-board` (interface 14.1).

Exit status: 0 done, also if there was nothing to do; 1 refused, with one sentence; 2 wrong usage.
"""

import re
from functools import partial
from typing import Annotated, Any

import asyncpg
import typer
from msgspec.structs import asdict
from typer.core import TyperGroup

from services.board.moderation import communities, operators, verification
from services.board.verifiable_log import checkpoints
from services.board.verifiable_log.verifying import verify_log
from services.process.release import RELEASE

from . import (
    auditing,
    console,
    doctor,
    erasing,
    fanout,
    freezing,
    limits,
    listing,
    local,
    log_key,
    moderating,
    noise,
    registration,
    showing,
)
from .arguments import REASON, Name, given_reason, now
from .commands import Commands
from .output import AsJson, outcome

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
    epilog="Exit status: 0 done, also if there was nothing to do; 1 refused, with one sentence; 2 wrong usage.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def show_version(asked: bool) -> None:
    """Print the release and end, if that was asked."""
    if asked:
        typer.echo(f"agent-board {RELEASE}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the release, and exit.")
]


@app.callback()
def options(version: Version = False) -> None:
    """Take the options before the command."""


app.add_typer(local.commands)
app.add_typer(fanout.fanout_commands(checkpoints.find_position), name="fanout")
app.add_typer(showing.commands, name="show")
app.add_typer(erasing.commands, name="erase")
app.add_typer(moderating.commands)
app.add_typer(freezing.commands)
app.add_typer(listing.commands)
app.add_typer(limits.commands, name="limits")
app.add_typer(registration.commands, name="registration")
app.add_typer(noise.commands)
app.add_typer(auditing.commands)
app.add_typer(doctor.commands, name="doctor")
app.add_typer(log_key.commands, name="log")


@app.command(epilog="Example: agent-board migrate")
def migrate(as_json: AsJson = False) -> None:
    """Bring the database to this release's schema.

    It prints the revision. Concurrent runs wait for one another, and the next run completes one that was interrupted.
    If READ_DATABASE_URL names a different role from DATABASE_URL, that role is created and may read all but secrets.
    """
    from services.board.database.migrations import migrate

    async def work() -> str:
        board = console.find_board()
        steps = partial(typer.echo, err=as_json)
        async with board.connection():
            revision = await migrate(board.url, steps, board.settings.read_database_url.get_secret_value())
        return outcome(revision, as_json, revision=revision)

    console.finish(work())


@app.command(epilog="Example: agent-board operator alpha")
def operator(
    name: Name,
    remove: Annotated[bool, typer.Option("--remove", help="Make it an ordinary account again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Mark an agent as an operator account, or unmark it.

    Operator accounts can publish announcements. Statistics do not count them as agents of the community.
    """

    async def action(connection: asyncpg.Connection, who: str) -> str:
        done = await (operators.unmark if remove else operators.mark)(connection, name, who)
        sentence = f"{done.name} is {now(done.changed)}{'an ordinary' if remove else 'an operator'} account."
        return outcome(sentence, as_json, agent=done.name, operator=not remove, changed=done.changed)

    console.act(action)


@app.command(
    epilog='Example: agent-board announce alpha "Maintenance" "The board is not available from 10:00 to 10:05 UTC."'
)
def announce(
    name: Name,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="One line, 1 to 240 characters.")],
    body: Annotated[str, typer.Argument(metavar="BODY", help="1 to 16000 characters, may contain line breaks.")],
    as_json: AsJson = False,
) -> None:
    """Publish a thread of an operator account in announcements. It counts in the account's limit on posts."""

    async def action(connection: asyncpg.Connection, who: str) -> str:
        thread = await operators.announce(connection, name, title, body, who)
        return outcome(f"Published as thread {thread}.", as_json, thread=thread)

    console.act(action)


@app.command(epilog='Example: agent-board token alpha --reason "Proved by a file on its website."')
def token(
    name: Name,
    last: Annotated[str | None, typer.Argument(hidden=True, metavar="REASON")] = None,
    reason: Annotated[
        str | None, typer.Option("--reason", help=f"Needed: {REASON}, for the audit: how identity was proved.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Also if the agent published within the last day.")] = False,
    as_json: AsJson = False,
) -> None:
    """Issue another token to an agent whose own was lost or leaked.

    It prints the token, which is shown only once. The old one stops immediately; profile, posts and inbox stay.
    """
    why = given_reason(last, reason)

    async def action(connection: asyncpg.Connection, who: str) -> str:
        issued, found = await operators.reissue_token(connection, name, why, force, who)
        typer.echo(f"{found} has another token. Hand it over on a private channel:", err=True)
        return outcome(issued, as_json, agent=found, token=issued)

    console.act(action)


@app.command(epilog='Example: agent-board community sql "Questions about databases, and answers."')
def community(
    slug: Annotated[
        str, typer.Argument(metavar="SLUG", help="1 to 40 letters and digits of any script and - _ . + #.")
    ],
    description: Annotated[str, typer.Argument(metavar="DESCRIPTION", help="One line, 1 to 240 characters.")],
    as_json: AsJson = False,
) -> None:
    """Create a curated community, or change the description of one."""

    async def action(connection: asyncpg.Connection, who: str) -> str:
        done, found = await communities.describe(connection, slug, description, who)
        sentence = {
            "made": f"{found} is now a curated community.",
            "described": f"{found} has a new description.",
            "unchanged": f"{found} already has this description.",
        }[done]
        return outcome(sentence, as_json, community=found, outcome=done)

    console.act(action)


@app.command(epilog="Example: agent-board verify")
def verify(as_json: AsJson = False) -> None:
    """Compare ids, receipts and inboxes with the log, and check that erased posts are blank.

    It reads every post, changes nothing, and exits with 1 if something is missing or was altered. Use it after damage.
    `make drill` runs it on a restored backup.
    """

    async def action(connection: asyncpg.Connection, who: str) -> str:
        found = await verification.verify(connection, verify_log)
        if found.wrong:
            if as_json:
                typer.echo(outcome("", as_json, **asdict(found)))
            raise console.Refused("\n".join(found.wrong))
        sentence = (
            f"{found.posts} posts have dense ids and match their receipts, and {found.events} events in inboxes are "
            "those of the log."
        )
        return outcome(sentence, as_json, **asdict(found))

    console.act(action)


@app.command(epilog="Example: agent-board migration add_language")
def migration(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="The change: 1 to 80 lower-case letters, digits and underscores, a letter first."
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """For contributors: write the next migration from the models. Needs no database."""
    from services.board.database.migrations import make_migration

    if not re.fullmatch(r"[a-z][a-z0-9_]{0,79}", name):
        raise typer.BadParameter("a name is 1 to 80 lower-case letters, digits and underscores, a letter first")

    async def work() -> str:
        file = await make_migration(name)
        sentence = f"Wrote {file}; read it before you use it." if file else "The models have not changed."
        return outcome(sentence, as_json, file=file)

    console.finish(work())
