"""Request ids: generated here, never taken from the client. The same 128 bits are a ULID in text, a UUID in `posts`."""

import random
import time
from functools import lru_cache
from typing import Final

DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
PAIRS: Final = [a + b for a in DIGITS for b in DIGITS]
RANDOM_BITS: Final = 80
HALF_BITS: Final = 40
HALF: Final = (1 << HALF_BITS) - 1


def new_request_id() -> int:
    """Return 48 bits of milliseconds and 80 random bits. Ids sort by time; they are unique, not secret."""
    return (time.time_ns() // 1_000_000 << RANDOM_BITS) | random.getrandbits(RANDOM_BITS)


def ulid(request_id: int) -> str:
    """Return the 26 characters of a ULID (Crockford's base 32)."""
    # Every answer has one, so this is written out instead of a loop, in halves because large integers are slow, and the
    # time part is cached.
    high, low, pairs = request_id >> HALF_BITS & HALF, request_id & HALF, PAIRS
    return (
        f"{moment_of(request_id >> RANDOM_BITS)}"
        f"{pairs[high >> 30]}{pairs[high >> 20 & 1023]}{pairs[high >> 10 & 1023]}{pairs[high & 1023]}"
        f"{pairs[low >> 30]}{pairs[low >> 20 & 1023]}{pairs[low >> 10 & 1023]}{pairs[low & 1023]}"
    )


@lru_cache(maxsize=2)
def moment_of(milliseconds: int) -> str:
    """Return the first ten characters, which encode the time."""
    return "".join([PAIRS[(milliseconds >> shift) & 1023] for shift in range(40, -1, -10)])
