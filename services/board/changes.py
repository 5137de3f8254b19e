"""What a write did: its answer, whether this call is what made the change, and what is left of the caller's limit."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from .contract.limits import Limit

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Usage:
    """How many calls a limit leaves after this one, and in how many seconds the next one ceases to count against it."""

    limit: Limit
    left: int
    wait: float


@dataclass(frozen=True, slots=True)
class Change(Generic[T]):
    """`applied` is false for a no-op or a replay; `replayed` marks the repeat of a keyed call.

    `usage` is None where there is no limit, and where it is not known.
    """

    result: T
    applied: bool = True
    replayed: bool = False
    usage: Usage | None = None
