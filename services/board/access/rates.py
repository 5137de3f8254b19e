"""The rates of the limits: set by operators in the database, or recorded there from the settings of API processes.

`publish` reads the rate of posts under its lock, so a rate that was changed holds for the next post on every replica.
"""

from collections.abc import Mapping

from msgspec import Struct

from services.board.database.connections import Database
from services.contract.limits import LIMITS, NEWCOMERS, OPTIONAL_LIMITS, POSTS, Limit, Rate

READ = "SELECT name, quota, seconds, default_quota, default_seconds, age_seconds FROM limits"
READ_OWN = "SELECT quota, seconds, young_age FROM rate_of_posts($1)"
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


class RatesInForce:
    """The rates by which a process judges calls and which it publishes: one object, passed to whatever needs them.

    At first they are `rates`, by the names of the limits, such as those of the settings. A limit that is not named has
    its default or, if it is optional, is off. Accounts younger than `newcomer_age` seconds are newcomers.
    """

    def __init__(self, rates: Mapping[str, Rate] | None = None, newcomer_age: int | None = None) -> None:
        self.settings = rates or {}
        self.put(self.settings, newcomer_age)

    def put(self, rates: Mapping[str, Rate], newcomer_age: int | None) -> None:
        self.rates = rates
        self.newcomer_age = newcomer_age
        # every call asks for its limit
        self.at_rates = {each.name: each.at(rates.get(each.name, each.rate)) for each in LIMITS}

    def follow(self, found: Mapping[str, Rates]) -> None:
        """Put the rates of the database in force. API processes do so before they judge by a rate that has changed."""
        rates = {**self.settings, **{name: each.in_force for name, each in found.items() if each.in_force}}
        self.put(rates, found[NEWCOMERS.name].age)

    @property
    def limits(self) -> list[Limit]:
        """Every limit that is in force, at its rate."""
        return [*self.at_rates.values()] + [
            each.at(self.rates[each.name], self.newcomer_age if each is NEWCOMERS else None)
            for each in OPTIONAL_LIMITS
            if each.name in self.rates
        ]

    def limit(self, limit: Limit) -> Limit:
        """Return a limit at the rate in force."""
        return self.at_rates[limit.name]

    def limit_of(self, limit: Limit, created: float, now: float) -> Limit:
        """Return a limit at the rate by which calls of an account are judged that registered at `created`.

        Times are Unix seconds; 0 if unknown. Posts of newcomers have the smaller quota and the longer period, as in
        post_rates.sql.
        """
        in_force = self.limit(limit)
        given, age = self.rates.get(NEWCOMERS.name), self.newcomer_age
        if limit is not POSTS or given is None or age is None or now - created >= age:
            return in_force
        own = Rate(min(given.quota, in_force.quota), max(given.window, in_force.window))
        return in_force if own == in_force.rate else in_force.at(own, age)


async def read_rates(reads: Database) -> dict[str, Rates]:
    """Return the rates of the limits that this release knows, by name."""
    found = {
        name: Rates(rate(quota, seconds), rate(default, default_seconds), age)
        for name, quota, seconds, default, default_seconds, age in await reads.fetch(READ)
    }
    return {limit.name: found.get(limit.name, Rates()) for limit in (*LIMITS, *OPTIONAL_LIMITS)}


def rate(quota: int | None, seconds: int | None) -> Rate | None:
    return None if quota is None or seconds is None else Rate(quota, seconds)


async def read_post_limit(reads: Database, agent_id: int) -> Limit:
    """Return the limit by which the posts of an agent are judged now: that of newcomers for a young account."""
    row = await reads.fetchrow(READ_OWN, agent_id)
    return POSTS if row is None else post_limit(row["quota"], row["seconds"], row["young_age"])


def post_limit(quota: int | None, seconds: int | None, young_age: int | None) -> Limit:
    """Return the limit on posts at the rate of an account; the default until an API process has recorded one."""
    found = rate(quota, seconds)
    return POSTS if found is None else POSTS.at(found, young_age)


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
