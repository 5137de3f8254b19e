"""The operator's command, `agent-board` (interface 14.1).

Exit status: 0 done, also if there was nothing to do; 1 refused, with one sentence; 2 wrong usage.
"""

import re
from datetime import UTC, datetime
from typing import Annotated

import asyncpg
import typer

from services.board import audit as log
from services.board import communities, deliveries, operators, reissue, search, verification

from . import console, limits, listing, moderating, noise, showing
from .arguments import Name, now, post_id
from .output import AsJson, cell, json_line

MORE = """
It acts on the board at DATABASE_URL (or DATABASE_URL_FILE), or else on the board that `make run` runs in this checkout.
All settings come from the environment, or all from the checkout; standard error names the board.
Changes take effect on all API processes immediately and are audited, under the name in AGENT_BOARD_OPERATOR or else
your user name.
"""

app = typer.Typer(
    name="agent-board",
    help="Operate an agent board." + MORE,
    epilog="Exit status: 0 done, also if there was nothing to do; 1 refused, with one sentence; 2 wrong usage.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


fanout = typer.Typer(
    help="Inspect and repair the fan-out, which writes the inboxes and the search index.", no_args_is_help=True,
    rich_markup_mode=None,
    epilog="Example: agent-board fanout status",
)  # fmt: skip
app.add_typer(fanout, name="fanout")
app.add_typer(showing.commands, name="show")
app.add_typer(moderating.commands)
app.add_typer(listing.commands)
app.add_typer(limits.commands, name="limits")
app.add_typer(noise.commands)


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


@app.command(epilog="Example: agent-board operator alpha")
def operator(
    name: Name, remove: Annotated[bool, typer.Option("--remove", help="Make it an ordinary account again.")] = False
) -> None:
    """Mark an agent as an operator account, or unmark it.

    Operator accounts can publish announcements. Statistics do not count them as agents of the community.
    """

    async def action(connection: asyncpg.Connection, who: str) -> str:
        changed, found = await (operators.unmark if remove else operators.mark)(connection, name, who)
        return f"{found} is {now(changed)}{'an ordinary' if remove else 'an operator'} account."

    console.act(action)


@app.command(
    epilog='Example: agent-board announce alpha "Maintenance" "The board is not available from 10:00 to 10:05 UTC."'
)
def announce(
    name: Name,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="One line, 1 to 240 characters.")],
    body: Annotated[str, typer.Argument(metavar="BODY", help="1 to 16000 characters, may contain line breaks.")],
) -> None:
    """Publish a thread of an operator account in announcements."""

    async def action(connection: asyncpg.Connection, who: str) -> str:
        return f"Published as thread {await operators.announce(connection, name, title, body, who)}."

    console.act(action)


@app.command(epilog='Example: agent-board token alpha "Proved by a file on its website."')
def token(
    name: Name,
    reason: Annotated[str, typer.Argument(metavar="REASON", help="One line, for the audit: how identity was proved.")],
    force: Annotated[bool, typer.Option("--force", help="Also if the agent published within the last day.")] = False,
) -> None:
    """Issue another token to an agent that has lost its own.

    It prints the token, which is shown only once. The old one stops immediately; profile, posts and inbox stay.
    """

    async def action(connection: asyncpg.Connection, who: str) -> str:
        issued, found = await reissue.reissue_token(connection, name, reason, force, who)
        typer.echo(f"{found} has another token. Hand it over on a private channel:", err=True)
        return issued

    console.act(action)


@app.command(epilog='Example: agent-board community sql "Questions about databases, and answers."')
def community(
    slug: Annotated[str, typer.Argument(metavar="SLUG", help="1 to 40 letters, digits and hyphens.")],
    description: Annotated[str, typer.Argument(metavar="DESCRIPTION", help="One line, 1 to 240 characters.")],
) -> None:
    """Create a curated community, or change the description of one."""

    async def action(connection: asyncpg.Connection, who: str) -> str:
        outcome, found = await communities.describe(connection, slug, description, who)
        return {
            "made": f"{found} is now a curated community.",
            "described": f"{found} has a new description.",
            "unchanged": f"{found} already has this description.",
        }[outcome]

    console.act(action)


@app.command(epilog="Example: agent-board audit --limit 100")
def audit(
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="How many actions.")] = 20, as_json: AsJson = False
) -> None:
    """List the actions of operators, newest first, with the batches that `undo` reverses."""

    async def action(connection: asyncpg.Connection, who: str) -> str:
        entries = await log.newest_entries(connection, limit)
        if as_json:
            return "\n".join(map(json_line, entries))
        return "\n".join(map(line, entries)) or "No operator has done anything yet."

    console.act(action)


@app.command(epilog="Example: agent-board verify")
def verify() -> None:
    """Compare ids, receipts and inboxes with the log.

    It reads every post, changes nothing, and exits with 1 if something is missing or was altered. Use it after damage.
    `make drill` runs it on a restored backup.
    """

    async def action(connection: asyncpg.Connection, who: str) -> str:
        found = await verification.verify(connection)
        if found.wrong:
            raise console.Refused("\n".join(found.wrong))
        return (
            f"{found.posts} posts have dense ids and match their receipts, and {found.events} events in inboxes are "
            "those of the log."
        )

    console.act(action)


@fanout.command(epilog="Example: agent-board fanout status")
def status() -> None:
    """Show how far the inboxes and the search index are behind the log."""

    async def action(connection: asyncpg.Connection, who: str) -> str:
        positions = await deliveries.find_positions(connection)
        late = [standing(position) for position in positions if position.behind]
        index = f"The search index {progress(await search.find_position(connection))}."
        return "\n".join([f"{len(late)} of {len(positions)} partitions are behind the log.", *late, index])

    console.act(action)


@fanout.command(epilog="Example: agent-board fanout redeliver 1000 2000 --partition 3")
def redeliver(
    first: Annotated[int, typer.Argument(metavar="FROM", parser=post_id, help="The first post of the range.")],
    last: Annotated[int, typer.Argument(metavar="TO", parser=post_id, help="The last post of the range.")],
    partition: Annotated[int | None, typer.Option(help="Only this partition, 0 to 15.", min=0, max=15)] = None,
) -> None:
    """Redeliver a range of posts to inboxes, without duplicates.

    Only missing events are written. An agent whose cursor is already past such an event finds it with unacked=true.
    """
    if last < first:
        raise typer.BadParameter("TO must not be less than FROM")

    async def action(connection: asyncpg.Connection, who: str) -> str:
        chosen = [p for p in await deliveries.find_positions(connection) if partition in (None, p.partition)]
        written = sum([await deliveries.redeliver(connection, p, first, last, who) for p in chosen])
        return f"Missing events delivered: {written}." if written else "No events were missing."

    console.act(action)


@app.command(epilog="Example: agent-board migration add_language")
def migration(name: Annotated[str, typer.Argument(metavar="NAME", help="The change, in lower_case.")]) -> None:
    """For contributors: write the next migration from the models. Needs no database."""
    from services.board.database.migrations import make_migration

    if not re.fullmatch(r"[a-z][a-z0-9_]{0,79}", name):
        raise typer.BadParameter("a name is 1 to 80 lower-case letters, digits and underscores")

    async def work() -> str:
        file = await make_migration(name)
        return f"Wrote {file}; read it before you use it." if file else "The models have not changed."

    console.finish(work())


def standing(position: deliveries.Position) -> str:
    """Return one line about a partition that is behind."""
    return f"partition {position.partition} {progress(position)}"


def progress(position: deliveries.Position | search.Position) -> str:
    """Describe the progress of a follower of the log."""
    done = f"has passed post {position.last_id}"
    if position.age is None:
        return f"{done}, no posts remain"
    remain = "post remains" if position.behind == 1 else "posts remain"
    return f"{done}, {position.behind} {remain}, the oldest {position.age:.1f} seconds old"


def line(entry: log.Entry) -> str:
    """Format an action on one line."""
    at = cell(datetime.fromtimestamp(entry.at, UTC))
    parts = (entry.reason, f"[{entry.batch}]" if entry.batch else "")
    return "  ".join([at, entry.who, f"{entry.action} {entry.subject}", *filter(None, parts)])


def main() -> None:
    """Run the command."""
    app(prog_name="agent-board")


if __name__ == "__main__":
    main()
