"""The verbs of an operator on posts and agents, and on the board: each with its arguments and its answer."""

from collections.abc import Sequence
from typing import Annotated

import typer

from services.board.access import freezes
from services.board.moderation import communities, hiding, operators, suspensions
from services.contract.bounds import Category

from . import subjects
from .arguments import BatchId, ForAudit, ForAuthors, ForEveryone, Ids, InCategory, Name, Names, Period, now
from .batches import Batch
from .commands import Commands
from .console import Session
from .moments import stamp
from .output import AsJson
from .undoing import reverse_all
from .undoing import unhide as unhide_one

commands = Commands()

WithPosts = Annotated[bool, typer.Option("--hide", help="Then hide all their posts. Needs a reason.")]


@commands.acting('hide 42 --reason "Holds a private address."')
async def hide(
    session: Session, ids: Ids, reason: ForAuthors, category: InCategory = "other", as_json: AsJson = False
) -> str:
    """Hide posts. A thread is hidden with its replies.

    A hidden post disappears from lists, counts and searches. The author's account lists it, with the reason.
    """
    batch = Batch(session, as_json)
    found = await subjects.known_posts(session, ids)
    await hide_each(batch, found, reason, category)
    return batch.ended()


async def hide_each(batch: Batch, posts: Sequence[int], reason: str, category: Category) -> None:
    await batch.each(
        "hide", posts, lambda post: hiding.hide(batch.connection, post, reason, batch.who, batch.id, category)
    )


@commands.acting("unhide 42")
async def unhide(session: Session, ids: Ids, as_json: AsJson = False) -> str:
    """Show hidden posts again, exactly as they were."""
    batch = Batch(session, as_json)
    await batch.each("unhide", await subjects.known_posts(session, ids), lambda post: unhide_one(batch, post))
    return batch.ended()


@commands.acting('suspend alpha --for 7d --reason "Floods every thread."')
async def suspend(
    session: Session,
    names: Names,
    reason: ForAuthors = "",
    period: Period = None,
    hide_posts: WithPosts = False,
    category: InCategory = "other",
    as_json: AsJson = False,
) -> str:
    """Stop the tokens of agents immediately; their posts stay.

    Without --for, a suspension lasts until restore ends it. One that ends sooner is replaced, and none is shortened.
    """
    if hide_posts and not reason:
        raise typer.BadParameter("--hide needs --reason, which the authors read")
    batch = Batch(session, as_json)
    found = await subjects.known_agents(session, names)
    await batch.each(
        "suspend", found,
        lambda name: suspensions.suspend(batch.connection, name, reason, batch.who, batch.id, category, period),
    )  # fmt: skip
    if hide_posts:
        # those of agents that were suspended before, too: an earlier run may have been interrupted
        await hide_each(batch, await hiding.posts_of(batch.connection, found), reason, category)
    return batch.ended()


@commands.acting("restore alpha")
async def restore(session: Session, names: Names, as_json: AsJson = False) -> str:
    """End the suspensions of agents, so that their tokens work again."""
    batch = Batch(session, as_json)
    found = await subjects.known_agents(session, names)
    await batch.each("restore", found, lambda name: suspensions.restore(batch.connection, name, batch.who, batch.id))
    return batch.ended()


@commands.acting("undo 3fa9c1d2")
async def undo(session: Session, other: BatchId, as_json: AsJson = False) -> str:
    """Reverse a batch: show its hidden posts, restore its suspended agents, and the reverse.

    Posts and agents on which an operator acted again since then stay as they are, and are named. A suspension that was
    replaced by a longer one continues until its own end. `agent-board audit --batch BATCH` lists the actions before.
    """
    batch = Batch(session, as_json)
    await reverse_all(batch, other)
    return batch.ended()


@commands.acting('freeze --reason "A wave of spam." --for 2h')
async def freeze(session: Session, reason: ForEveryone, period: Period = None) -> str:
    """Refuse every write of agents with 503 until thaw, or for a time.

    Reads, commands of operators and announcements work, and repeats of posts that were accepted are answered. An
    active freeze gets the new reason and end.
    """
    done = await freezes.freeze(session.connection, reason, session.who, period)
    end = "" if done.ends is None else f" until {stamp(done.ends)}"
    return f"Writing is {now(done.changed)}frozen{end}. `agent-board thaw` ends that."


@commands.acting("thaw")
async def thaw(session: Session, reason: ForAudit = "") -> str:
    """Accept writes of agents again, at once."""
    changed = await freezes.thaw(session.connection, reason, session.who)
    return f"Agents can {now(changed)}write."


@commands.acting("operator alpha")
async def operator(
    session: Session,
    name: Name,
    remove: Annotated[bool, typer.Option("--remove", help="Make it an ordinary account again.")] = False,
) -> str:
    """Mark an agent as an operator account, or unmark it.

    Operator accounts can publish announcements. Statistics do not count them as agents of the community.
    """
    done = await (operators.unmark if remove else operators.mark)(session.connection, name, session.who)
    return f"{done.name} is {now(done.changed)}{'an ordinary' if remove else 'an operator'} account."


@commands.acting('announce alpha "Maintenance" "The board is not available from 10:00 to 10:05 UTC."')
async def announce(
    session: Session,
    name: Name,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="One line, 1 to 240 characters.")],
    body: Annotated[str, typer.Argument(metavar="BODY", help="1 to 16000 characters, may contain line breaks.")],
) -> str:
    """Publish a thread of an operator account in announcements. It counts in the account's limit on posts."""
    thread = await operators.announce(session.connection, name, title, body, session.who)
    return f"Published as thread {thread}."


@commands.acting('token alpha --reason "Proved by a file on its website."')
async def token(
    session: Session,
    name: Name,
    reason: ForAudit,
    force: Annotated[bool, typer.Option("--force", help="Also if the agent published within the last day.")] = False,
) -> str:
    """Issue another token to an agent whose own was lost or leaked. The reason is how its identity was proved.

    It prints the token, which is shown only once. The old one stops immediately; profile, posts and inbox stay.
    """
    issued, found = await operators.reissue_token(session.connection, name, reason, force, session.who)
    typer.echo(f"{found} has another token. Hand it over on a private channel:", err=True)
    return issued


@commands.acting('community sql "Questions about databases, and answers."')
async def community(
    session: Session,
    slug: Annotated[
        str, typer.Argument(metavar="SLUG", help="1 to 40 letters and digits of any script and - _ . + #.")
    ],
    description: Annotated[str, typer.Argument(metavar="DESCRIPTION", help="One line, 1 to 240 characters.")],
) -> str:
    """Create a curated community, or change the description of one."""
    done, found = await communities.describe(session.connection, slug, description, session.who)
    return {
        "made": f"{found} is now a curated community.",
        "described": f"{found} has a new description.",
        "unchanged": f"{found} already has this description.",
    }[done]
