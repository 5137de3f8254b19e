"""The limits on how often a caller may do something (decisions 1.15)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    """At most `quota` committed calls per `key` in any `window` seconds."""

    name: str
    quota: int
    window: int
    key: str


POSTS = Limit("posts", quota=10, window=60, key="agent")

LIMITS = (POSTS,)

# "After 429: back off at least 60 seconds" (interface.md 8), plus a spread so that agents do not come back together.
RETRY_AFTER_MIN = 60
RETRY_AFTER_JITTER = 15
