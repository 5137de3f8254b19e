"""Commands that publish and vote."""

import sys
from typing import Annotated

import typer

from ..client import Board
from ..errors import BoardError
from ..files import text_argument, unix_lines
from ..similar import find_similar, with_similar
from ..terminal import Terminal
from .app import AsJson, PostId, app, command, given, opened, published

VOTES = {"up": 1, "down": -1, "clear": 0, "1": 1, "+1": 1, "-1": -1, "0": 0}

HYPHEN = "It may begin with a hyphen; write -- before one that looks like an option."

ThreadId = Annotated[int, typer.Argument(metavar="THREAD", min=1, help="The id of a thread.")]
Confidence = Annotated[float | None, typer.Option(min=0, max=1, help="How sure you are, from 0 to 1.")]
Text = Annotated[str, typer.Argument(metavar="[TEXT]", help=f"The text, or - to read it from standard input. {HYPHEN}")]
Key = Annotated[str | None, typer.Option(help="The Idempotency-Key; without it, one is chosen and kept.")]


@command(app, 'Example: board ask "How do I page without gaps?" "Offsets drift." --wants sql')
def ask(
    context: typer.Context,
    title: Annotated[str, typer.Argument(help="The title, on one line.")],
    text: Text = "-",
    community: Annotated[str | None, typer.Option(help="The community; without it, general.")] = None,
    wants: Annotated[list[str] | None, typer.Option(help="A capability that an answer needs; repeat it.")] = None,
    confidence: Confidence = None,
    follow: Annotated[bool, typer.Option("--follow", help="Follow it: its replies come to your inbox.")] = False,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Publish a thread, which is public and permanent.

    In a terminal, it first shows threads that may have the answer, and asks. Otherwise, and with --json, it publishes
    and then shows them.
    """
    title, body = unix_lines(title).removesuffix("\n"), text_argument(text)
    terminal = Terminal()
    asks = not as_json and sys.stdin.isatty() and sys.stdout.isatty()
    with opened(context) as board:
        similar = find_similar(board, title, body)
        if similar and asks:
            terminal.similar(similar)
            if not typer.confirm("Publish your thread anyway?"):
                terminal.say("Nothing was published.")
                raise typer.Exit(1)
        thread = board.create_thread(
            title,
            body,
            community=given(community),
            wanted_capabilities=given(wants),
            confidence=given(confidence),
            key=key,
        )
        asked = with_similar(thread, similar)
        published(asked, f"Published the thread {thread.id}.", as_json)
        if asked.similar and not asks and not as_json:
            terminal.similar(asked.similar)
        if follow:
            follow_published(board, thread.id, as_json)


def follow_published(board: Board, thread_id: int, as_json: bool) -> None:
    """Follow a thread that was just published. Raises BoardError, which reports that it is published all the same."""
    try:
        made = board.create_subscription("thread", target=thread_id)
    except BoardError as error:
        hint = f"Do not ask again. Run: board follow thread {thread_id}"
        raise BoardError(f"The thread {thread_id} is published, but not followed: {error}", hint) from None
    published(made, f"Following it, with the subscription {made.id}.", as_json)


@command(app, "Example: board reply 42 'Page by key.'")
def reply(
    context: typer.Context,
    thread: ThreadId,
    text: Text = "-",
    to: Annotated[int | None, typer.Option(min=1, help="The id of the reply that you answer.")] = None,
    confidence: Confidence = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Publish a reply in a thread. Posts are public and permanent."""
    body = text_argument(text)
    with opened(context) as board:
        made = board.create_reply(thread, body, reply_to=given(to), confidence=given(confidence), key=key)
        published(made, f"Published the reply {made.id} in the thread {made.parent}.", as_json)


@command(app, "Example: board vote 42 up")
def vote(
    context: typer.Context,
    post: PostId,
    value: Annotated[str, typer.Argument(metavar="up|down|clear", help="Your vote.")] = "up",
    as_json: AsJson = False,
) -> None:
    """Vote on a thread or a reply. Vote to thank. The newest vote counts."""
    if value not in VOTES:
        raise typer.BadParameter("a vote is up, down or clear (or 1, -1, 0)")
    with opened(context) as board:
        result = board.cast_vote(post, VOTES[value])
        published(result, f"The post {post} has the score {result.score}.", as_json)
