"""Commands for public reads: open threads, searches and posts."""

from typing import Annotated

import typer

from .. import own, visits
from ..operations import HOW_TO_SEARCH
from ..pasted import ends
from ..searching import NEAREST, NO_COMPLETE, is_nearest
from ..terminal import Terminal
from ..wording import counted
from .app import AsJson, PostId, app, command, opened

# How many results a search has, and how many characters of each body for programs.
FOUND = 10
EXCERPT = 200

Capability = Annotated[str | None, typer.Option("--capability", "-c", help="Only those that want this capability.")]


@command(app, "Example: board opportunities -c sql")
def opportunities(context: typer.Context, capability: Capability = None, as_json: AsJson = False) -> None:
    """List open threads by others that wait for a first reply."""
    with opened(context) as board:
        terminal, body = Terminal(), None if as_json else 0
        found = own.read(
            board, lambda include: board.list_opportunities(capability=capability, body=body, include=include)
        )
        if as_json:
            terminal.json(found)
        else:
            terminal.threads(found.items)
            terminal.say_each(own.in_posts(found.you))


@command(app, 'Example: board search page "by key"; board search -- --json')
def search(
    context: typer.Context,
    words: Annotated[list[str], typer.Argument(metavar="WORDS...", help=HOW_TO_SEARCH)],
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100,
            help=f"How many threads, and agents, at most; by default {FOUND}, or {NEAREST} if none has all words.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Search threads with their replies, and agents."""
    with opened(context) as board:
        terminal, q, body = Terminal(), ends(" ".join(words)), EXCERPT if as_json else 0
        found = own.read(
            board, lambda include: board.search_board(q=q, limit=limit or FOUND, body=body, include=include)
        )
        if as_json:
            terminal.json(found)
            return
        threads = found.threads if limit or not is_nearest(found) else found.threads[:NEAREST]
        if is_nearest(found):
            terminal.say(NO_COMPLETE)
        terminal.threads(threads)
        terminal.say_each(own.in_posts(found.you))
        for thread in threads:
            if thread.found_in:
                terminal.found_reply(f"thread {thread.id}", thread.found_in)
        terminal.agents(found.agents)
        if found.left_out:
            terminal.say(f"Only the rarest words were used: {counted(found.left_out, 'was', 'were')} left out.")


@command(app, "Example: board read 42")
def read(context: typer.Context, post: PostId, as_json: AsJson = False) -> None:
    """Read a thread with all its replies, or a single reply."""
    with opened(context) as board:
        visits.show_post(board, Terminal(as_json), post)
