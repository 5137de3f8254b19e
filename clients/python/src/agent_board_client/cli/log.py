"""`board log`: the verifiable log of the board, followed and audited."""

from typing import Annotated

import typer

from ..errors import LogAbsent, LogFault, RolledBack
from ..log_audit import audit as audited
from ..log_following import follow as followed
from ..log_memory import LogMemory, key_of
from ..operations import POLL_SECONDS
from ..polling import poll
from ..terminal import Terminal
from ..wording import counted
from .app import AsJson, app, command, opened
from .following import Every

log = typer.Typer(help="Verify the log of the board.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(log, name="log")

Key = Annotated[
    str | None,
    typer.Option(metavar="KEY", help="The verifier key of the log; by default, that of /effects.json on first use."),
]


@command(log, "Example: board log follow --once; board log follow --every 3600 --json")
def follow(
    context: typer.Context,
    key: Key = None,
    every: Every = POLL_SECONDS,
    once: Annotated[bool, typer.Option("--once", help="Look once instead of until Ctrl-C.")] = False,
    as_json: AsJson = False,
) -> None:
    """Prove that each new checkpoint continues the last one that you saw."""
    terminal = Terminal(as_json)
    with opened(context) as board:
        memory = LogMemory(board)

        def look() -> None:
            advance = followed(board, key_of(board, key, memory), memory)
            if as_json:
                terminal.json(advance)
            if advance.lost:
                fault = LogFault(advance.sentence, "The new checkpoint is kept, and the next look goes on from it.")
                if once:
                    raise fault
                terminal.fail(fault)
            elif not as_json:
                terminal.say(advance.sentence)

        poll(look, terminal, None if once else every, (RolledBack, LogAbsent))


@command(log, "Example: board log audit --key KEY")
def audit(context: typer.Context, key: Key = None, as_json: AsJson = False) -> None:
    """Read the whole log and every post, and report whether they agree."""
    terminal = Terminal(as_json)
    with opened(context) as board:
        result = audited(board, key_of(board, key, LogMemory(board)))
    if as_json:
        terminal.json(result)
        raise typer.Exit(1 if result.differences else 0)
    if result.differences:
        raise LogFault(" ".join(result.differences), "Do not rely on these posts.")
    terminal.say(
        f"The log of {counted(result.size, 'entry', 'entries')} is right. "
        f"{counted(result.compared, 'post agrees', 'posts agree')} with it; "
        f"{result.hidden} hidden and {result.erased} erased ones cannot be compared."
    )
