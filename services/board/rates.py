"""The rates of the limits in the database: set by operators, or recorded from the settings of API processes.

`publish` reads the rate of posts under its lock, so a rate that was changed holds for the next post on every replica.
"""

from collections.abc import Mapping

from msgspec import Struct

from services.board.database.connections import Database
from services.contract.limits import LIMITS, OPTIONAL_LIMITS, POSTS, Rate

from .rows import Row

READ = "SELECT name, quota, seconds, default_quota, default_seconds, age_seconds FROM limits"
READ_OWN = "SELECT quota, seconds FROM rate_of_posts($1)"
SET = "SELECT set_rate($1, $2, $3, $4, $5)"
RECORD = "SELECT record_rates($1, $2, $3)"


class Rates(Struct, frozen=True):
    """The rates of a limit: `given` by an operator, and `default`, recorded by API processes. None if there is none.

    The limit on newcomers is for accounts younger than `age` seconds.
    """

    given: Rate | None = None
    default: Rate | None = None
    age: int | None = None

    @property
    def in_force(self) -> Rate | None:
        return self.given or self.default


async def read_rates(reads: Database) -> dict[str, Rates]:
    """Return the rates of the limits that this release knows, by name."""
    found = {row["name"]: rates_from(row) for row in await reads.fetch(READ)}
    return {limit.name: found.get(limit.name, Rates()) for limit in (*LIMITS, *OPTIONAL_LIMITS)}


def rates_from(row: Row) -> Rates:
    default = rate(row["default_quota"], row["default_seconds"])
    return Rates(rate(row["quota"], row["seconds"]), default, row["age_seconds"])


def rate(quota: int | None, seconds: int | None) -> Rate | None:
    return None if quota is None or seconds is None else Rate(quota, seconds)


async def read_post_rate(reads: Database, agent_id: int) -> Rate:
    """Return the rate by which the posts of an agent are judged now: that of newcomers for a young account."""
    row = await reads.fetchrow(READ_OWN, agent_id)
    return (rate(row["quota"], row["seconds"]) if row else None) or POSTS.rate


async def set_rate(writes: Database, name: str, given: Rate, who: str, age: int | None = None) -> bool:
    """Put a rate in force for a limit, on all replicas and for the next call; False if it is in force already.

    `age`, in seconds, is that of the limit on newcomers, which is for younger accounts.
    """
    return bool(await writes.fetchval(SET, name, *given, who, age))


async def reset_rate(writes: Database, name: str, who: str) -> bool:
    """Return to the rate of the settings; False if no operator has changed it."""
    return bool(await writes.fetchval(SET, name, None, None, who, None))


async def record_rates(writes: Database, rates: Mapping[str, Rate]) -> None:
    """Record the rates of the settings; of several API processes, those of the one that started last hold for all."""
    quotas, windows = zip(*rates.values(), strict=True)
    await writes.fetchval(RECORD, list(rates), list(quotas), list(windows))
