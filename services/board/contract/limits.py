"""The limits on how often a caller may do something (decisions 1.15): the one table of all policies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

QUOTA_MAX = 10_000
WINDOW_MAX = 86_400


class Rate(NamedTuple):
    """At most `quota` calls in any `window` seconds, such as 10/60."""

    quota: int
    window: int

    def __str__(self) -> str:
        return f"{self.quota}/{self.window}"


@dataclass(eq=False)
class Limit:
    """At most `quota` calls of a kind per `key` in any `window` seconds; refused calls do not count.

    Quota (1 to 10,000) and window (1 to 86,400 seconds) are defaults until `set_rates`. `calls` names in words what is
    counted. `away` says what happens while the limiter is away: the database judges alone, or the call passes.
    """

    name: str
    quota: int
    window: int
    key: Literal["agent", "address"]
    calls: str
    away: Literal["judged", "passes"] = "passes"

    @property
    def rate(self) -> Rate:
        return Rate(self.quota, self.window)


POSTS = Limit("posts", 10, 60, "agent", "posts", away="judged")
VOTES = Limit("votes", 120, 60, "agent", "votes")
ACCOUNT = Limit("account", 60, 60, "agent", "changes of the account")
ACKS = Limit("acks", 600, 60, "agent", "acknowledgements")
REGISTRATIONS = Limit("registrations", 600, 3600, "address", "registrations")
FAILED_LOGINS = Limit("failed_logins", 60, 60, "address", "calls with a bad token")

LIMITS = (POSTS, VOTES, ACCOUNT, ACKS, REGISTRATIONS, FAILED_LOGINS)


def set_rates(rates: Mapping[str, Rate]) -> None:
    """Put an operator's rates, by the names of their limits, in the place of the defaults.

    For the start of a process, before anything reads the table: what it publishes and what it enforces are the same.
    """
    for limit in LIMITS:
        limit.quota, limit.window = rates[limit.name]


# "After 429: back off at least 60 seconds" (interface.md 8), plus a spread so that agents do not come back together.
RETRY_AFTER_MIN = 60
RETRY_AFTER_JITTER = 15

# "Polling: no faster than once per 60 seconds" (interface.md 8): advice about starting a poll, never a refusal.
POLL_SECONDS = 60
