"""Extends the verifiable log as a consumer of the log of posts, and signs checkpoints."""

import time
from typing import Final

import asyncpg
import structlog
from prometheus_client import Counter, Gauge

from services.board.verifiable_log.checkpoints import LogMismatchError, extend
from services.board.verifiable_log.signing import Signer
from services.process.metrics import Registry

from .worker import Work

SIGN_SECONDS: Final = 10.0
"""How long between two checkpoints, at least, unless posts remain after a step."""

log = structlog.get_logger()


class Checkpoints:
    """Signs a checkpoint every 10 s if there are new posts, and measures how far it is behind the log of posts."""

    name = "checkpoints"

    def __init__(self, signer: Signer, registry: Registry) -> None:
        self.signer = signer
        self.looked: float | None = None
        self.oldest: float | None = None
        self.steps = Counter(
            "agent_board_log_steps_total",
            "Steps of the verifiable log, by outcome: signed, idle (nothing to do), busy (another process did it), "
            "refused (signed posts have changed), failed.",
            ["outcome"],
            registry=registry,
        )
        for outcome in ("signed", "idle", "busy", "refused", "failed"):
            self.steps.labels(outcome)
        Gauge(
            "agent_board_log_oldest_seconds",
            "Age of the oldest post that no checkpoint covered after the last step, or time since the first of the "
            "failed steps in a row; 0 if there was none.",
            registry=registry,
        ).set_function(lambda: max(0.0, time.time() - self.oldest) if self.oldest is not None else 0)

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Add the next posts; rest for 10 s after a step that left none."""
        if self.looked is not None and time.monotonic() - self.looked < SIGN_SECONDS:
            return Work.NONE
        try:
            done = await extend(connection, self.signer)
        except LogMismatchError as error:
            log.error("checkpoint_refused", reason=str(error))
            return self.rest("refused")
        if done is None:
            return self.rest("busy")
        self.oldest = done.oldest
        if done.behind:
            self.steps.labels("signed").inc()
            return Work.MORE
        return self.rest("signed" if done.leaves else "idle")

    def rest(self, outcome: str) -> Work:
        """Count a step and begin the time until the next one."""
        self.looked = time.monotonic()
        self.steps.labels(outcome).inc()
        if outcome == "refused":
            self.oldest = self.oldest or time.time()
        return Work.NONE

    def failed(self, error: Exception) -> None:
        """Count the step, which is repeated; the log is late from the first failure on."""
        self.oldest = self.oldest or time.time()
        self.steps.labels("failed").inc()
