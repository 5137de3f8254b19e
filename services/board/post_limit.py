"""Checks with PostgreSQL whether an agent that the limiter refused has really reached its post limit (interface 6.1).

The publishing transaction decides; this reads what it would decide, without taking its lock.
"""

from msgspec import Struct

from services.board.database.connections import Database

# `moment` is the time at which publish would check the limit now; its condition on the times is the same.
READ = """
SELECT a.id, coalesce((
        SELECT CASE WHEN count(*) >= $2 THEN $3 - extract(epoch FROM moment - min(t)) END
        FROM unnest(a.post_times[1:$2]) t
        WHERE moment - t < make_interval(secs => $3) AND t - moment < make_interval(secs => $3)
    ), 0)::float8 AS wait,
    EXISTS (SELECT FROM posts p WHERE p.author_id = a.id AND p.idempotency_key = $4) AS key_used
FROM agents a, (SELECT limit_moment(last_created, clock_timestamp()) AS moment FROM log_head) m WHERE a.token_hash = $1
"""


class Standing(Struct, frozen=True):
    """An agent may post in `wait` seconds, where 0 is now; `key_used` is true if one of its posts has the key."""

    agent_id: int
    wait: float
    key_used: bool


async def read_standing(
    look_ups: Database, token_hash: bytes, quota: int, window: int, key: str | None
) -> Standing | None:
    """Return the state of a token's holder under at most `quota` posts in any `window` seconds; None without a holder.

    `key` is the Idempotency-Key of the call. `quota` must not exceed the quota of the settings, because the agent's row
    keeps only that many times.
    """
    row = await look_ups.fetchrow(READ, token_hash, quota, float(window), key)
    return None if row is None else Standing(*row)
