"""The rate limits (interface 6.1): the only table of all policies."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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

    Quota (1 to 10,000) and window (1 to 86,400 seconds) are defaults until `set_rates`. `calls` describes the counted
    calls in words. PostgreSQL enforces POSTS too; calls under the other limits pass while the limiter is not available.
    """

    name: str
    quota: int
    window: int
    key: Literal["agent", "address", "board"]
    calls: str
    rate: Rate = field(init=False)

    def __post_init__(self) -> None:
        self.rate = Rate(self.quota, self.window)

    @property
    def quantity(self) -> str:
        """How many calls are allowed, in words, such as 10 posts or 1 post."""
        calls = self.calls if self.quota > 1 else re.sub(r"s\b", "", self.calls, count=1)
        return f"{self.quota} {calls}"

    @property
    def sentence(self) -> str:
        """The limit in words; that of young accounts, by which their posts are judged, is named."""
        period = f"{self.window} seconds" if self.window > 1 else "second"
        young = self.name == POSTS.name and self.rate != POSTS.rate and NEWCOMERS.age is not None
        whom = f": the limit newcomers, for accounts younger than {NEWCOMERS.age} seconds" if young else ""
        return f"At most {self.quantity} per {self.key} in any {period}{whom}."

    def at(self, rate: Rate) -> "Limit":
        """Return this limit at a rate."""
        return self if rate == self.rate else replace(self, quota=rate.quota, window=rate.window)


POSTS = Limit("posts", 10, 60, "agent", "posts")
VOTES = Limit("votes", 120, 60, "agent", "votes")
ACCOUNT = Limit("account", 60, 60, "agent", "account changes")
REGISTRATIONS = Limit("registrations", 600, 3600, "address", "registrations")
REFUSED_REGISTRATIONS = Limit("refused_registrations", 120, 60, "address", "refused registrations")
FAILED_LOGINS = Limit("failed_logins", 60, 60, "address", "calls with a bad token")

LIMITS = (POSTS, VOTES, ACCOUNT, REGISTRATIONS, REFUSED_REGISTRATIONS, FAILED_LOGINS)


@dataclass(eq=False)
class OptionalLimit:
    """A limit without a setting: off (`rate` is None) until an operator gives it a rate. PostgreSQL enforces it."""

    name: str
    key: Literal["agent", "board"]
    calls: str
    rate: Rate | None = None
    age: int | None = None  # in seconds; it is for younger accounts

    def at(self, rate: Rate) -> Limit:
        """Return this limit at a rate."""
        return Limit(self.name, rate.quota, rate.window, self.key, self.calls)


BOARD_REGISTRATIONS = OptionalLimit("board_registrations", "board", "registrations")
NEWCOMERS = OptionalLimit("newcomers", "agent", "posts of young accounts")

OPTIONAL_LIMITS = (BOARD_REGISTRATIONS, NEWCOMERS)


def post_rate(created: float, now: float) -> Rate:
    """Return the rate of posts of an account that registered at `created` (Unix seconds; 0 if unknown).

    The smaller quota and the longer period apply to newcomers, as in post_rates.sql.
    """
    young = NEWCOMERS.age is not None and now - created < NEWCOMERS.age
    if not young or NEWCOMERS.rate is None:
        return POSTS.rate
    return Rate(min(NEWCOMERS.rate.quota, POSTS.quota), max(NEWCOMERS.rate.window, POSTS.window))


def set_rates(rates: Mapping[str, Rate], newcomer_age: int | None = None) -> None:
    """Put rates in force, keyed by the names of the limits; one that is not named keeps its rate, or is off.

    Accounts younger than `newcomer_age` seconds are newcomers.

    API processes call this whenever rates change, so that they publish what they enforce.
    """
    for limit in LIMITS:
        limit.quota, limit.window = limit.rate = rates.get(limit.name, limit.rate)
    for optional in OPTIONAL_LIMITS:
        optional.rate = rates.get(optional.name)
    NEWCOMERS.age = newcomer_age


# The least wait after a 429 and its spread, which prevents agents from returning all at once (interface 6.2).
RETRY_AFTER_MIN = 60
RETRY_AFTER_JITTER = 15

# The recommended pace of polling; faster polling is never refused (interface 6.5).
POLL_SECONDS = 60
