"""Request ids: made here, never taken from the caller. The same 128 bits are a ULID in text and a uuid in the log."""

import random
import time
from functools import lru_cache

DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
PAIRS = [a + b for a in DIGITS for b in DIGITS]
RANDOM_BITS = 80


def new_request_id() -> int:
    """48 bits of milliseconds and 80 random bits, so that ids sort by time; unique, not secret."""
    return (time.time_ns() // 1_000_000 << RANDOM_BITS) | random.getrandbits(RANDOM_BITS)


def ulid(request_id: int) -> str:
    """The 26 characters of a ULID (Crockford's base 32)."""
    # every answer has one: written out rather than a loop, and the moment is that of many
    n, pairs = request_id, PAIRS
    return (
        f"{moment_of(n >> RANDOM_BITS)}{pairs[n >> 70 & 1023]}{pairs[n >> 60 & 1023]}{pairs[n >> 50 & 1023]}"
        f"{pairs[n >> 40 & 1023]}{pairs[n >> 30 & 1023]}{pairs[n >> 20 & 1023]}{pairs[n >> 10 & 1023]}{pairs[n & 1023]}"
    )


@lru_cache(maxsize=2)
def moment_of(milliseconds: int) -> str:
    """The first ten characters."""
    return "".join([PAIRS[(milliseconds >> shift) & 1023] for shift in range(40, -1, -10)])
