"""The actions of one command, each in a transaction with its entry in the audit, all under the id of one batch.

A batch that is interrupted has done what the audit shows. The same command continues it, because an action changes
nothing when it is repeated.
"""

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Literal, TypeVar

import typer
from msgspec import Struct

from services.board.database.failures import CONNECTION_LOST, DATABASE_FAILURES
from services.board.errors import BoardError
from services.board.moderation.suspensions import ModeratedAgent

from . import console
from .moments import stamp
from .output import json_line

Action = Literal["hide", "unhide", "suspend", "restore", "erase"]
STATES: Final[dict[Action, str]] = {
    "hide": "hidden", "unhide": "not hidden", "suspend": "suspended", "restore": "not suspended", "erase": "erased",
}  # fmt: skip
OUTCOMES: Final = ("changed", "already so", "refused")
REVERSES: Final = "`agent-board undo {}` reverses it."
SKIPPED_SHOWN: Final = 10
ACTIONS_PER_REPORT: Final = 500
S = TypeVar("S", int, str)
Act = Callable[[S], Awaitable[bool | ModeratedAgent]]


class Result(Struct):
    """The result of an action. `changed` is false if the post or the agent was in that state before.

    `until` is the end of a suspension, in Unix seconds.
    """

    action: Action
    post: int | None
    agent: str | None
    changed: bool
    batch: str
    error: str | None = None
    until: float | None = None

    @property
    def subject(self) -> str:
        """The post or the agent, for people."""
        return f"Post {self.post}" if self.agent is None else self.agent

    @property
    def sentence(self) -> str:
        """The result for people."""
        end = "" if self.until is None else f" until {stamp(self.until)}"
        return f"{self.subject} is {'now' if self.changed else 'already'} {STATES[self.action]}{end}."


class Batch:
    """The actions of one command."""

    def __init__(self, session: console.Session, as_json: bool) -> None:
        self.connection, self.who = session
        self.as_json = as_json
        self.id: Final = secrets.token_hex(4)
        self.counts: Final = Counter[str]()
        self.newest: Result | None = None
        self.refused: Final[list[Result]] = []
        self.skipped: Final[list[Result]] = []

    async def each(self, action: Action, subjects: Sequence[S], act: Act[S]) -> None:
        """Act on posts or agents, one after the other. One that is refused does not stop the rest.

        Each action keeps other writes waiting, so a pause as long follows it. `act` returns whether anything changed,
        or the agent after the action.
        """
        try:
            for subject in subjects:
                began = time.monotonic()
                self.note(await self.attempt(action, subject, act))
                await asyncio.sleep(time.monotonic() - began)
        except asyncio.CancelledError:
            done = f"Interrupted after {self.counts.total():,}, batch {self.id}."
            typer.echo(f"{done} The same command continues from there.", err=True)
            raise

    async def attempt(self, action: Action, subject: S, act: Act[S]) -> Result:
        """Act; an error that concerns only this post or agent is part of the result."""
        post, agent = (subject, None) if isinstance(subject, int) else (None, subject)
        try:
            done = await act(subject)
        except CONNECTION_LOST:
            raise
        except BoardError as error:
            return Result(action, post, agent, False, self.id, str(error))
        except DATABASE_FAILURES as error:
            return Result(action, post, agent, False, self.id, console.sentence(error))
        if isinstance(done, ModeratedAgent):
            return Result(action, post, done.name, done.changed, self.id, until=done.until)
        return Result(action, post, agent, done, self.id)

    def note(self, result: Result) -> None:
        """Count a result. Programs get it at once."""
        self.newest = result
        self.counts["refused" if result.error else "changed" if result.changed else "already so"] += 1
        if result.error:
            self.refused.append(result)
        if self.as_json:
            typer.echo(json_line(result))
        if self.counts.total() % ACTIONS_PER_REPORT == 0:
            typer.echo(f"{self.counts.total():,} done, batch {self.id}.", err=True)

    def skip(self, result: Result) -> None:
        """Note a subject that is left as it is. Programs get it at once."""
        self.skipped.append(result)
        if self.as_json:
            typer.echo(json_line(result))

    def ended(self, ending: str | None = None) -> str:
        """Return the outcome. Raises Refused if an error left all as it was, else Incomplete if some were refused.

        `ending` is the last sentence if something was changed; without it, several changes end with how to undo them.
        """
        self.show_skipped()
        if self.newest is None:
            raise console.Refused("Nothing was changed: there is nothing left to reverse in this batch.")
        if self.counts.total() > 1:
            return self.summary(REVERSES.format(self.id) if ending is None else ending)
        if self.newest.error:
            raise console.Refused(self.newest.error)
        words = (self.newest.sentence, ending if self.newest.changed else None)
        return "" if self.as_json else " ".join(filter(None, words))

    def summary(self, ending: str) -> str:
        """Return how many actions had which outcome. Raises Refused, Incomplete."""
        for one in [] if self.as_json else self.refused:
            typer.echo(f"{one.subject}: {one.error}", err=True)
        done = ", ".join(f"{self.counts[what]:,} {what}" for what in OUTCOMES if self.counts[what])
        sentence = f"Batch {self.id}: {done}. {ending}" if self.counts["changed"] else f"Nothing was changed: {done}."
        if self.refused:
            raise (console.Incomplete if self.counts["changed"] else console.Refused)(sentence)
        return "" if self.as_json else sentence

    def show_skipped(self) -> None:
        """Write the subjects that were left as they are, and why; programs have them already."""
        if self.as_json:
            return
        for one in self.skipped[:SKIPPED_SHOWN]:
            typer.echo(f"{one.subject}: {one.error}", err=True)
        if len(self.skipped) > SKIPPED_SHOWN:
            typer.echo(f"Skipped {len(self.skipped):,} in all.", err=True)
