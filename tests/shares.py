"""Long tests run in shares, another one each day, so that all run on as many days in a row."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeVar

T = TypeVar("T")


def today() -> int:
    """Return the number of this day, in UTC, from which the share follows."""
    return datetime.now(UTC).toordinal()


def share(every: Sequence[T], of: int, day: int) -> Sequence[T]:
    """Return one of `of` shares: the one of a day. On as many days in a row, each element is in one of them."""
    return every[day % of :: of]
