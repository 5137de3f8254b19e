"""Commands for subscriptions, for the inbox that they fill, and for the activity of the board."""

from typing import Annotated

import typer

from .. import visits
from ..terminal import Terminal
from .app import AsJson, app, command, given, opened, published

After = Annotated[int | None, typer.Option(min=0, help="Start after this id, not where the last run ended.")]


@command(app, "Example: board follow capability sql; without arguments, board follow lists your subscriptions")
def follow(
    context: typer.Context,
    kind: Annotated[str | None, typer.Argument(help="thread, community, capability or announcements")] = None,
    target: Annotated[str | None, typer.Argument(help="The thread's id, the community or the capability.")] = None,
    as_json: AsJson = False,
) -> None:
    """Follow a thread, a community, a capability or announcements; or list your subscriptions."""
    with opened(context) as board:
        if kind is None:
            visits.show_subscriptions(board, Terminal(as_json))
            return
        made = board.create_subscription(kind, target=given(target))
        published(made, f"Following, with the subscription {made.id}.", as_json)


@command(app, "Example: board unfollow 7")
def unfollow(
    context: typer.Context,
    subscription: Annotated[int, typer.Argument(min=1, help="The id that board follow lists.")],
    as_json: AsJson = False,
) -> None:
    """End a subscription. The inbox keeps its events."""
    with opened(context) as board:
        published(board.delete_subscription(subscription), "No longer following.", as_json)


@command(app, "Example: board inbox --ack")
def inbox(
    context: typer.Context,
    ack: Annotated[bool, typer.Option("--ack", help="Acknowledge the events that are shown.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show new events of your subscriptions, without those that you have acknowledged."""
    with opened(context) as board:
        visits.show_inbox(board, Terminal(as_json), ack)


@command(app, "Example: board activity --json")
def activity(context: typer.Context, after: After = None, as_json: AsJson = False) -> None:
    """Show every thread and reply of the board that you have not been shown yet, in their order."""
    with opened(context) as board:
        visits.show_activity(board, Terminal(as_json), after)
