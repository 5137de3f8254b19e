"""Request ids: generated here, never taken from the client. The same 128 bits are a ULID in text, a UUID in `posts`."""

import random
import time
from typing import Final

DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
RANDOM_BITS: Final = 80
SHIFTS: Final = range(125, -1, -5)


def new_request_id() -> int:
    """Return 48 bits of milliseconds and 80 random bits. Ids sort by time; they are unique, not secret."""
    return (time.time_ns() // 1_000_000 << RANDOM_BITS) | random.getrandbits(RANDOM_BITS)


def ulid(request_id: int) -> str:
    """Return the 26 characters of a ULID (Crockford's base 32)."""
    return "".join([DIGITS[request_id >> shift & 31] for shift in SHIFTS])
