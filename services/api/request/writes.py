"""Writes: each in a task of its own, and within the limit of its caller.

Posts and votes are committed in batches (posts/commits/committer.py). Each kind of the rarer writes has a queue of its
own, so that none holds up another.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import structlog

from services.api.cache.tokens import Tokens
from services.api.handlers.call import Call
from services.api.handlers.resources import Resources
from services.api.handlers.row import Handler
from services.api.http.request_id import ulid
from services.board.access.tokens import Caller, hash_token
from services.board.database.failures import is_unavailable, rolled_back
from services.board.database.write_queue import WriteQueue
from services.board.errors import OutcomeUnknown
from services.contract.answers.agents import Registered
from services.contract.effects import INBOX_ACK
from services.contract.limits import ACCOUNT, REGISTRATIONS
from services.contract.operation import Operation

from .throttle import Throttle

ACKS: Final = "acks"
WIDTHS: Final[Mapping[str, int]] = {ACCOUNT.name: 1, ACKS: 4, REGISTRATIONS.name: 1}
"""How many of the rarer writes of a kind are made at the same time. Under the head's lock, others would only wait in
PostgreSQL; an acknowledgement does without it, and waits for the disk together with others."""
CONNECTIONS: Final = sum(WIDTHS.values())
"""How many connections all of them can use."""
ROOM: Final = 64
"""How many writes of a kind may wait: fewer than it completes in a second."""
PATIENCE_SECONDS = 2.0

Work = Callable[[], Awaitable[Any]]
log = structlog.get_logger()


async def make_one(batch: Sequence[Work]) -> list[Any]:
    """Make the only write of a batch."""
    (work,) = batch
    return [await work()]


def rarer_writes() -> dict[str, WriteQueue[Work, Any]]:
    """Return the queues of the rarer writes by kind: the name of their limit, or acks."""
    return {kind: WriteQueue(kind, make_one, room=ROOM, calls_max=width, size_max=1) for kind, width in WIDTHS.items()}


def kind_of(operation: Operation) -> str:
    """Return the kind of the writes of an operation; it may have no queue."""
    if operation.effect is INBOX_ACK:
        return ACKS
    return "" if operation.limit is None else operation.limit.name


@dataclass(eq=False)
class Writes:
    """Runs the handlers of writes, the rarer ones in `queues`.

    Without a throttle, only PostgreSQL limits posts, and nothing else is limited.
    """

    resources: Resources
    throttle: Throttle | None
    queues: Mapping[str, WriteQueue[Work, Any]]
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
        write = partial(self.run_in_turn, handler, call)
        change = await (write() if self.throttle is None else self.throttle.run(call, write))
        # a registration and a rotation have issued a token
        if token := getattr(change.result, "token", None):
            created = change.result.agent.created if isinstance(change.result, Registered) else call.holder.created
            self.tokens[token] = Caller(0, change.agent, hash_token(token), created)
        return change

    async def run_in_turn(self, handler: Handler, call: Call) -> Any:
        """Run a handler when it is its turn.

        Raises OutcomeUnknown if its connection breaks, because it may have written, and Unavailable without a turn.
        """
        work, queue = partial(handler, self.resources, call), self.queues.get(kind_of(call.operation))
        try:
            return await (work() if queue is None else queue.write(work, PATIENCE_SECONDS))
        except Exception as error:
            if not is_unavailable(error) or rolled_back(error):
                raise
            log.warning("outcome_unknown", error=type(error).__name__, request_id=ulid(call.request_id))
            raise OutcomeUnknown() from error
