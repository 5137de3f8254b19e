"""What a write did: its answer, and whether this call is what made the change."""

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Change(Generic[T]):
    """`applied` is false for a no-op or a replay; `replayed` marks the repeat of a keyed call."""

    result: T
    applied: bool = True
    replayed: bool = False
