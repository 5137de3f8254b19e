"""Tells the limiter of posts that do not wait for it: those of 80 ms go in one request and have one answer."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Final

from services.board.contract.checks import CHECKS_MAX, Check, Verdict

from .limiter_client import LimiterClient

GATHER_SECONDS: Final = 0.08


class Told:
    """A post that the limiter is told of: its verdict once it has `answered`, None when it is away.

    `used` is whether the post was made, None until that is known.
    """

    __slots__ = ("answered", "check", "used", "verdict")

    def __init__(self, check: Check, answered: "asyncio.Future[None]") -> None:
        self.check = check
        self.answered = answered
        self.used: bool | None = None
        self.verdict: Verdict | None = None


class Telling:
    """Tells a limiter. `note` gets what was told together, when it is answered, and when it was asked."""

    def __init__(self, limiter: LimiterClient, note: Callable[[float, Sequence[Told]], None]) -> None:
        self.limiter = limiter
        self.note = note
        self.gathered: list[Told] = []
        self.senders: set[asyncio.Task[None]] = set()

    def tell(self, check: Check) -> Told:
        """Tell of a post that is being made, with all others of 80 ms at most."""
        if self.gathered:
            told = Told(check, self.gathered[0].answered)
        else:
            loop = asyncio.get_running_loop()
            told = Told(check, loop.create_future())
            loop.call_later(GATHER_SECONDS, self.send)
        self.gathered.append(told)
        if len(self.gathered) == CHECKS_MAX:
            self.send()
        return told

    def send(self) -> None:
        """Send what is gathered, if anything is."""
        if self.gathered:
            sender = asyncio.create_task(self.send_batch(self.gathered), name="limiter-told")
            self.senders.add(sender)
            sender.add_done_callback(self.senders.discard)
            self.gathered = []

    async def send_batch(self, batch: Sequence[Told]) -> None:
        asked_at = time.monotonic()
        verdicts = await self.limiter.ask([told.check for told in batch]) if self.limiter.breaker.allows() else None
        if verdicts is not None:
            for told, verdict in zip(batch, verdicts, strict=True):
                told.verdict = verdict
        batch[0].answered.set_result(None)
        self.note(asked_at, batch)

    async def close(self) -> None:
        """Send what is gathered; the limiter has answered, or is away, within 50 ms."""
        self.send()
        if self.senders:
            await asyncio.wait(self.senders)
