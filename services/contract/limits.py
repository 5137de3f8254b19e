"""The rate limits (interface 6.1): the only table of all policies, with their defaults.

Nothing here changes while a process runs. The rates in force are an object of services/board/access/rates.py.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

QUOTA_MAX = 10_000
WINDOW_MAX = 86_400


class Rate(NamedTuple):
    """At most `quota` calls in any `window` seconds, such as 10/60."""

    quota: int
    window: int

    def __str__(self) -> str:
        return f"{self.quota}/{self.window}"


def parse_rate(text: str) -> Rate:
    """Return a rate such as 10/60. Raises ValueError, whose message follows the name of what is wrong."""
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    if found is None:
        raise ValueError("must be calls/seconds, such as 10/60")
    rate = Rate(int(found[1]), int(found[2]))
    if not 1 <= rate.quota <= QUOTA_MAX or not 1 <= rate.window <= WINDOW_MAX:
        raise ValueError(f"must be 1 to {QUOTA_MAX} calls in 1 to {WINDOW_MAX} seconds")
    return rate


@dataclass(frozen=True)
class Limit:
    """At most `quota` calls of a kind per `key` in any `window` seconds; refused calls do not count.

    Quota (1 to 10,000) and window (1 to 86,400 seconds) are defaults: `RatesInForce` has the rates of a board.
    `calls` describes the counted calls in words. At the rate of newcomers, it is for accounts younger than
    `younger_than` seconds. PostgreSQL enforces POSTS too; calls under the other limits pass while the limiter is not
    available.
    """

    name: str
    quota: int
    window: int
    key: Literal["agent", "address", "board"]
    calls: str
    younger_than: int | None = None

    @property
    def rate(self) -> Rate:
        return Rate(self.quota, self.window)

    @property
    def quantity(self) -> str:
        """How many calls are allowed, in words, such as 10 posts or 1 post."""
        calls = self.calls if self.quota > 1 else re.sub(r"s\b", "", self.calls, count=1)
        return f"{self.quota} {calls}"

    @property
    def sentence(self) -> str:
        """The limit in words; that of young accounts, by which their posts are judged, is named."""
        period = f"{self.window} seconds" if self.window > 1 else "second"
        young = self.younger_than is not None
        whom = f": the limit newcomers, for accounts younger than {self.younger_than} seconds" if young else ""
        return f"At most {self.quantity} per {self.key} in any {period}{whom}."

    def at(self, rate: Rate, younger_than: int | None = None) -> "Limit":
        """Return this limit at a rate, which is that of newcomers if it is for younger accounts only."""
        return replace(self, quota=rate.quota, window=rate.window, younger_than=younger_than)


POSTS = Limit("posts", 10, 60, "agent", "posts")
VOTES = Limit("votes", 120, 60, "agent", "votes")
ACCOUNT = Limit("account", 60, 60, "agent", "account changes")
REGISTRATIONS = Limit("registrations", 600, 3600, "address", "registrations")
REFUSED_REGISTRATIONS = Limit("refused_registrations", 120, 60, "address", "refused registrations")
FAILED_LOGINS = Limit("failed_logins", 60, 60, "address", "calls with a bad token")

LIMITS = (POSTS, VOTES, ACCOUNT, REGISTRATIONS, REFUSED_REGISTRATIONS, FAILED_LOGINS)


@dataclass(frozen=True)
class OptionalLimit:
    """A limit without a setting: off until an operator gives it a rate. PostgreSQL enforces it."""

    name: str
    key: Literal["agent", "board"]
    calls: str

    def at(self, rate: Rate, younger_than: int | None = None) -> Limit:
        """Return this limit at a rate."""
        return Limit(self.name, rate.quota, rate.window, self.key, self.calls, younger_than)


BOARD_REGISTRATIONS = OptionalLimit("board_registrations", "board", "registrations")
NEWCOMERS = OptionalLimit("newcomers", "agent", "posts of young accounts")

OPTIONAL_LIMITS = (BOARD_REGISTRATIONS, NEWCOMERS)


# The least wait after a 429 and its spread, which prevents agents from returning all at once (interface 6.2).
RETRY_AFTER_MIN = 60
RETRY_AFTER_JITTER = 15

# The recommended pace of polling; faster polling is never refused (interface 6.5).
POLL_SECONDS = 60
