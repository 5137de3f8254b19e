"""Writes: each in a task of its own, within the limit of its caller, and in its lane."""

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import structlog

from services.api.cache.tokens import Tokens
from services.api.handlers.call import Call
from services.api.handlers.resources import Resources
from services.api.handlers.row import Handler
from services.api.http.request_id import ulid
from services.board.access.tokens import Caller, hash_token
from services.board.database.failures import is_unavailable, rolled_back
from services.board.errors import OutcomeUnknown
from services.contract.answers.agents import Registered

from .lanes import Lanes
from .throttle import Throttle

log = structlog.get_logger()


@dataclass(eq=False)
class Writes:
    """Runs the handlers of writes. Without a throttle, only PostgreSQL limits posts, and nothing else is limited."""

    resources: Resources
    throttle: Throttle | None
    lanes: Lanes
    tokens: Tokens
    tasks: set[asyncio.Task[Any]] = field(default_factory=set)  # in flight

    async def run(self, handler: Handler, call: Call) -> Any:
        """Run a handler in its own task: it continues if its client hangs up, and a stop waits for it."""
        call.begun = True
        task = asyncio.create_task(self.run_limited(handler, call), name="write")
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        change = await asyncio.shield(task)
        call.agent = change.agent or call.agent
        return change

    async def run_limited(self, handler: Handler, call: Call) -> Any:
        """Run a handler if its caller's limit allows it. Raises Limited."""
        write = partial(self.run_in_lane, handler, call)
        change = await (write() if self.throttle is None else self.throttle.run(call, write))
        # a registration and a rotation have issued a token
        if token := getattr(change.result, "token", None):
            created = change.result.agent.created if isinstance(change.result, Registered) else call.holder.created
            self.tokens[token] = Caller(0, change.agent, hash_token(token), created)
        return change

    async def run_in_lane(self, handler: Handler, call: Call) -> Any:
        """Run a handler when it is its turn.

        Raises OutcomeUnknown if its connection breaks, because it may have written, and Unavailable without a turn.
        """
        try:
            async with self.lanes.turn(call):
                return await handler(self.resources, call)
        except Exception as error:
            if not is_unavailable(error) or rolled_back(error):
                raise
            log.warning("outcome_unknown", error=type(error).__name__, request_id=ulid(call.request_id))
            raise OutcomeUnknown() from error
