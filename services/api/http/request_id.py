"""Request ids: generated here, never taken from the client. The same 128 bits are a ULID in text, a UUID in `posts`."""

import random
import time
from functools import lru_cache
from typing import Final

DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
PAIRS: Final = [a + b for a in DIGITS for b in DIGITS]
RANDOM_BITS: Final = 80


def new_request_id() -> int:
    """Return 48 bits of milliseconds and 80 random bits. Ids sort by time; they are unique, not secret."""
    return (time.time_ns() // 1_000_000 << RANDOM_BITS) | random.getrandbits(RANDOM_BITS)


def ulid(request_id: int) -> str:
    """Return the 26 characters of a ULID (Crockford's base 32)."""
    # Every answer has one, so this is written out instead of a loop, and the time part is cached.
    n, pairs = request_id, PAIRS
    return (
        f"{moment_of(n >> RANDOM_BITS)}{pairs[n >> 70 & 1023]}{pairs[n >> 60 & 1023]}{pairs[n >> 50 & 1023]}"
        f"{pairs[n >> 40 & 1023]}{pairs[n >> 30 & 1023]}{pairs[n >> 20 & 1023]}{pairs[n >> 10 & 1023]}{pairs[n & 1023]}"
    )


@lru_cache(maxsize=2)
def moment_of(milliseconds: int) -> str:
    """Return the first ten characters, which encode the time."""
    return "".join([PAIRS[(milliseconds >> shift) & 1023] for shift in range(40, -1, -10)])
