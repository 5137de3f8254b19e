"""An operator's order: one action on one post or agent, which is a transaction with its entry in the audit."""

import asyncio
import secrets
import time
from typing import Annotated, Final, Literal

import asyncpg
from msgspec import Meta, Struct, field

from services.board.database.failures import CONNECTION_LOST, DATABASE_FAILURES
from services.board.errors import BoardError
from services.board.moderation import audit, erasure, hiding, standing
from services.contract.bounds import ID_MAX, Category

from . import console, moments
from .recounting import reported

Verb = Literal["hide", "unhide", "suspend", "restore"]
Deed = Verb | Literal["erase"]

REVERSED: Final = "An earlier action was reversed."
OPPOSITES: Final[dict[str, Verb]] = {"hide": "unhide", "unhide": "hide", "suspend": "restore", "restore": "suspend"}
STATES: Final[dict[str, str]] = {
    "hide": "hidden", "unhide": "not hidden", "suspend": "suspended", "restore": "not suspended", "erase": "erased",
}  # fmt: skip
OF_POSTS: Final = ("hide", "unhide")


class Order(Struct, forbid_unknown_fields=True):
    """An action on a post or on an agent. The reason is one line; without one, no post is hidden.

    The category is published when the order hides or suspends, the reason is not.
    `period` (in JSON, for) is the duration of a suspension, such as 7d; it has no end without one.
    """

    action: Verb
    post: Annotated[int, Meta(ge=1, le=ID_MAX)] | None = None
    agent: str | None = None
    reason: str = ""
    category: Category = "other"
    period: str = field(default="", name="for")


class Return(Order):
    """Suspends an agent for the rest of an earlier suspension, which was ended or replaced by a longer one.

    `deadline` is its end by the clock of time.monotonic(); None without an end. A batch may take longer than the rest.
    """

    deadline: float | None = None

    @property
    def seconds(self) -> float | None:
        """The seconds that are left of it."""
        return None if self.deadline is None else self.deadline - time.monotonic()


class Erasure(Order):
    """Erases an agent. It is no order of `moderate`: nothing brings an agent back."""

    action: Literal["erase"] = "erase"  # type: ignore[assignment]


class Result(Struct):
    """The result of an order. `changed` is false if the post or the agent was in that state before.

    `until` is the end of a suspension, in Unix seconds.
    """

    action: Deed
    post: int | None
    agent: str | None
    changed: bool
    batch: str
    error: str | None = None
    until: float | None = None

    @property
    def sentence(self) -> str:
        """The result for people."""
        subject = f"Post {self.post}" if self.agent is None else self.agent
        end = "" if self.until is None else f" until {standing.stamp(self.until)}"
        return f"{subject} is {'now' if self.changed else 'already'} {STATES[self.action]}{end}."


class Misaddressed(BoardError):
    """hide and unhide need a post, suspend and restore an agent, and no order takes both."""


class NoSuspension(BoardError):
    """Only suspend takes for."""


class WrongPeriod(BoardError):
    """for must be a duration, such as 30m, 12h, 7d or 2w, at most ten years."""


def new_batch() -> str:
    """Return the id of a new batch: 8 hexadecimal digits."""
    return secrets.token_hex(4)


async def execute(connection: asyncpg.Connection, order: Order, who: str, batch: str) -> Result:
    """Execute an order. Raises NotFound, Invalid, SecretDetected, Misaddressed, NoSuspension, WrongPeriod."""
    post, agent, until = order.post, order.agent, None
    action: Deed = order.action
    seconds = seconds_of(order)
    if order.action in OF_POSTS and post is not None and agent is None:
        if order.action == "hide":
            changed = await hiding.hide(connection, post, order.reason, who, batch, order.category)
        else:
            async with reported(connection, post) as pending:
                changed = await hiding.unhide(connection, post, who, batch, pending)
    elif order.action not in OF_POSTS and agent is not None and post is None:
        if isinstance(order, Erasure):
            done = standing.Standing(*await erase(connection, agent, order.reason, who, order.category, batch), None)
        elif isinstance(order, Return):
            done = await go_back(connection, agent, order, who, batch)
            if order.deadline is not None and done.until is None:
                action = "restore"
        elif order.action == "suspend":
            done = await standing.suspend(connection, agent, order.reason, who, batch, order.category, seconds)
        else:
            done = await standing.restore(connection, agent, who, batch)
        changed, agent, until = done
    else:
        raise Misaddressed()
    return Result(action, post, agent, changed, batch, until=until)


async def erase(
    connection: asyncpg.Connection, name: str, reason: str, who: str, category: Category, batch: str | None = None
) -> tuple[bool, str]:
    """Erase an agent and rename its posts; return whether anything changed, and the new name.

    Each step keeps other writes waiting, so a pause as long follows it. Raises NotFound, Invalid, SecretDetected.
    """
    changed, agent_id, other = await erasure.erase_agent(connection, name, reason, who, category, batch)
    began = time.monotonic()
    async for _ in erasure.rename_posts(connection, agent_id, other):
        changed = True
        await asyncio.sleep(time.monotonic() - began)
        began = time.monotonic()
    return changed, other


async def go_back(connection: asyncpg.Connection, agent: str, order: Return, who: str, batch: str) -> standing.Standing:
    """Return to the rest of an earlier suspension in one transaction; restore the agent if nothing is left of it."""
    async with connection.transaction():
        restored = await standing.restore(connection, agent, who, batch)
        if order.seconds is not None and order.seconds <= 0:
            return restored
        return await standing.suspend(connection, agent, order.reason, who, batch, order.category, order.seconds)


def seconds_of(order: Order) -> int | None:
    """Return the seconds of an order's period; None without one. Raises NoSuspension, WrongPeriod."""
    if not order.period:
        return None
    if order.action != "suspend":
        raise NoSuspension()
    seconds = moments.seconds_of_period(order.period)
    if seconds is None:
        raise WrongPeriod()
    return seconds


async def attempt(connection: asyncpg.Connection, order: Order, who: str, batch: str) -> Result:
    """Execute an order; an error that concerns only this order is part of the result."""
    try:
        return await execute(connection, order, who, batch)
    except CONNECTION_LOST:
        raise
    except (BoardError, *DATABASE_FAILURES) as error:
        reason = str(error) if isinstance(error, BoardError) else console.sentence(error)
        return Result(order.action, order.post, order.agent, False, batch, reason)


def opposite(done: audit.Done) -> Order | None:
    """Return the order that reverses an action, or None if that would undo what was decided since then.

    A suspension that a restoration has ended, or a longer one has replaced, goes on for the rest of its time.
    """
    if done.later_action is not None:
        return None
    if done.action in OF_POSTS:
        return Order(OPPOSITES[done.action], post=int(done.subject), reason=REVERSED)
    if not done.after_suspension or done.is_over:
        return Order("restore", agent=done.subject) if done.action == "suspend" else None
    return Return(
        "suspend",
        agent=done.subject,
        reason=done.former_reason or "",
        category=done.former_category or "other",
        deadline=None if done.seconds is None else time.monotonic() + done.seconds,
    )


def skipped(done: audit.Done) -> Result:
    """Return why an action is not reversed, as the result of an order."""
    if done.later_action is None:
        reason = "Skipped: the suspension would be over."
    else:
        reason = f"Skipped: {done.later_who} did {done.later_action} at {standing.stamp(done.later_at or 0)}."
    post = int(done.subject) if done.action in OF_POSTS else None
    opposite = OPPOSITES[done.action]
    return Result(opposite, post, None if post else done.subject, False, done.batch or "", reason)
