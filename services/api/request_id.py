"""Request ids: made here, never taken from the caller. The same 128 bits are a ULID in text and a uuid in the log."""

import random
import time
import uuid

DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
PAIRS = [a + b for a in DIGITS for b in DIGITS]


def new_request_id() -> uuid.UUID:
    """48 bits of milliseconds and 80 random bits, so that ids sort by time; unique, not secret."""
    moment = time.time_ns() // 1_000_000
    return uuid.UUID(int=(moment << 80) | random.getrandbits(80))


def ulid(request_id: uuid.UUID) -> str:
    """The 26 characters of a ULID (Crockford's base 32)."""
    number = request_id.int
    return "".join([PAIRS[(number >> shift) & 1023] for shift in range(120, -1, -10)])
