"""Reverses the actions of a batch, except those on which an operator has acted since."""

import time
from typing import Final

from services.board.database.failures import DATABASE_FAILURES
from services.board.errors import NotFound
from services.board.moderation import audit, hiding, suspensions

from . import console
from .batches import Action, Batch, Result
from .moments import stamp

UNCOUNTED: Final = (
    "Thread {} is not shown yet: the database failed ({}) while its replies were counted. The fan-out "
    "completes it, and so does the same command."
)
REVERSED: Final = "An earlier action was reversed."
OPPOSITES: Final[dict[str, Action]] = {
    "hide": "unhide", "unhide": "hide", "suspend": "restore", "restore": "suspend",
}  # fmt: skip


async def reverse_all(batch: Batch, other: str) -> None:
    """Reverse the actions of another batch, the newest first. Raises NotFound."""
    actions = await audit.actions_of_batch(batch.connection, other)
    if not actions:
        raise NotFound(audit.NO_BATCH)
    read = time.monotonic()
    for done in actions:
        if why := reason_to_skip(done):
            batch.skip(skipped(done, why))
        elif done.action in ("hide", "unhide"):
            await reverse_post(batch, done)
        else:
            await reverse_agent(batch, done, time.monotonic() - read)


def reason_to_skip(done: audit.Done) -> str | None:
    """Return why an action is not reversed, as a sentence."""
    if done.later_action is not None:
        return f"Skipped: {done.later_who} did {done.later_action} at {stamp(done.later_at or 0)}."
    if done.action == "restore" and (not done.after_suspension or done.is_over):
        return "Skipped: the suspension would be over."
    return None


def skipped(done: audit.Done, why: str) -> Result:
    post = int(done.subject) if done.action in ("hide", "unhide") else None
    agent = None if post else done.subject
    return Result(OPPOSITES[done.action], post, agent, False, done.batch or "", why)


async def reverse_post(batch: Batch, done: audit.Done) -> None:
    """Show a post that was hidden, or hide it again."""
    if done.action == "hide":
        await batch.each("unhide", [int(done.subject)], lambda post: unhide(batch, post))
    else:
        await batch.each(
            "hide", [int(done.subject)],
            lambda post: hiding.hide(batch.connection, post, REVERSED, batch.who, batch.id),
        )  # fmt: skip


async def unhide(batch: Batch, post: int) -> bool:
    """Show a hidden post again; return whether it was hidden. Raises NotFound, Erased, Incomplete.

    A long thread takes a step for each 100 replies (interface 7.6). After a failure, the fan-out continues.
    """
    steps = 0

    async def count() -> None:
        nonlocal steps
        steps += 1

    try:
        return await hiding.unhide(batch.connection, post, batch.who, batch.id, count)
    except DATABASE_FAILURES as error:
        if steps == 0:
            raise
        raise console.Incomplete(UNCOUNTED.format(post, type(error).__name__)) from error


async def reverse_agent(batch: Batch, done: audit.Done, passed: float) -> None:
    """Restore an agent, or return to the rest of its suspension, from whose seconds `passed` are gone since then."""
    left = None if done.seconds is None else done.seconds - passed
    if done.after_suspension and (left is None or left > 0):
        await batch.each("suspend", [done.subject], lambda name: resume(batch, name, done, left))
    else:
        await batch.each(
            "restore", [done.subject], lambda name: suspensions.restore(batch.connection, name, batch.who, batch.id)
        )


async def resume(batch: Batch, name: str, done: audit.Done, seconds: float | None) -> suspensions.ModeratedAgent:
    """Return to the rest of an earlier suspension, which was ended or replaced by a longer one, in one transaction."""
    reason, category = done.former_reason or "", done.former_category or "other"
    async with batch.connection.transaction():
        await suspensions.restore(batch.connection, name, batch.who, batch.id)
        return await suspensions.suspend(batch.connection, name, reason, batch.who, batch.id, category, seconds)
