"""What the log itself says of an agent that the limiter holds back (decisions 1.15).

The publishing transaction is the judge; this reads what it would say, without its lock.
"""

from msgspec import Struct

from .tokens import Database

# by the moment at which publish would judge now
READ = """
SELECT a.id, greatest(0, $3 - coalesce(extract(epoch FROM m.moment - a.post_times[$2])::float8, $3)) AS wait,
    EXISTS (SELECT FROM posts p WHERE p.author_id = a.id AND p.idempotency_key = $4) AS key_used
FROM agents a, (
    SELECT greatest(clock_timestamp(), last_created + interval '1 microsecond') AS moment FROM log_head
) m WHERE a.token_hash = $1
"""


class Standing(Struct, frozen=True):
    """How an agent stands: it may post in `wait` seconds, 0 is now; `key_used`: one of its posts has the key."""

    agent_id: int
    wait: float
    key_used: bool


async def read_standing(
    look_ups: Database, token_hash: bytes, quota: int, window: int, key: str | None
) -> Standing | None:
    """The standing of a token's holder under at most `quota` posts in any `window` seconds; None when nobody holds it.

    `quota` must not be above that of the settings: the agent's row has no more times.
    """
    row = await look_ups.fetchrow(READ, token_hash, quota, float(window), key)
    return None if row is None else Standing(*row)
