"""The result of a write."""

from typing import Generic, TypeVar

from msgspec import Struct

from services.contract.limits import Limit

T = TypeVar("T")


class Usage(Struct, frozen=True):
    """How many calls `limit` allows after this one; the oldest counted call stops counting in `wait` seconds."""

    limit: Limit
    left: int
    wait: float


class WriteResult(Struct, Generic[T], frozen=True):
    """The response to a write, with facts about the call.

    `applied` is false if this call changed nothing: a no-op or a replay. `replayed` marks the repeat of a call with an
    Idempotency-Key. `usage` is what remains of the caller's limit; None without a limit or if unknown. `agent` is the
    name of the agent that the write has made or acted for; None if only the caller's token names it.
    """

    result: T
    applied: bool = True
    replayed: bool = False
    usage: Usage | None = None
    agent: str | None = None
