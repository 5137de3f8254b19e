"""Young accounts: how many posts they publish, the hosts to which they link, and when they registered."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import asyncpg
from msgspec import Struct

from services.board.database.connections import Database
from services.board.rows import struct_from

YOUNG: Final = "interval '1 day'"
"""SQL: the age up to which an account is young."""
POSTS_MAX: Final = 20_000
"""How many of the newest posts are counted."""
CHARACTERS_MAX: Final = 40_000_000
"""How many of their characters are searched for links, the newest: twenty seconds if all of them are links."""
WAVE_MIN: Final = 10
"""How many young accounts with one host, or registered within BURST, are a wave."""
BURST: Final = "interval '5 minutes'"
ROWS: Final = 10
COUNT: Final = f"""
SELECT h.last_id, h.last_agent_id AS agents, is_frozen() AS frozen, (
    SELECT count(*) FROM posts p JOIN agents a ON a.id = p.author_id
    WHERE p.id > $1 AND p.id <= least(h.last_id, $1 + $2) AND p.created < a.created + {YOUNG}
) AS posts FROM log_head h
"""
# A browser takes a backslash for a slash, and the text before the last @ for the name of a user. It ignores the
# case, and characters that show nothing. The host ends where a reader would end it.
LINK: Final = r"(?:https?:[/\\]*|\mwww\.)([^\s/\\?#<>\"]+)"
INVISIBLE: Final = r"U&'\00AD\200B\200C\200D\2060\FEFF'"
SIGNS: Final = (
    r"\s\u0001-\u002c\u002f\u003a-\u0040\u005b-\u005e\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u3004\u3008-\u303f"
    r"\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)
LINKED: Final = rf"""
    SELECT DISTINCT r.id, r.author_id, rtrim(host, '.-_') AS host
    FROM (SELECT * FROM recent WHERE characters <= {CHARACTERS_MAX}) r
    CROSS JOIN LATERAL regexp_matches(translate(r.text, {INVISIBLE}, ''), '{LINK}', 'gi') AS link
    CROSS JOIN LATERAL lower(normalize(regexp_replace(link[1], '^.*@', ''), NFKC)) AS written
    CROSS JOIN LATERAL regexp_replace(written, '\u3002(?=[a-z0-9])', '.', 'g') AS dotted
    CROSS JOIN LATERAL substring(dotted FROM '^(?:www\.)?(\[[0-9a-f:.]+\]|[^{SIGNS}]+)') AS host
"""
# Ten accounts within five minutes begin a burst, which continues with all that follow each other as closely.
BURSTS: Final = f"""
    SELECT *, count(*) FILTER (WHERE is_first) OVER (ORDER BY created, id) AS burst FROM (
        SELECT *, coalesce(created - lag(created) OVER (ORDER BY created, id) > {BURST}, true) AS is_first FROM (
            SELECT *, max(created) FILTER (WHERE ahead >= {WAVE_MIN}) OVER (ORDER BY created, id) AS began FROM (
                SELECT *, count(*) OVER (ORDER BY created RANGE BETWEEN CURRENT ROW AND {BURST} FOLLOWING) AS ahead
                FROM young
            ) counted
        ) crowded WHERE created <= began + {BURST}
    ) close
"""
NOISY: Final = f"""
WITH recent AS MATERIALIZED (
    SELECT p.id, p.author_id, coalesce(p.title, '') || ' ' || p.body AS text,
        sum(length(p.body)) OVER (ORDER BY p.id DESC) AS characters FROM posts p
    WHERE p.id > (SELECT last_id - {POSTS_MAX} FROM log_head) AND p.created >= $1 AND p.hidden = 0
), young AS MATERIALIZED (
    SELECT id, name, created FROM agents
    WHERE created > clock_timestamp() - {YOUNG} AND suspended_at IS NULL AND NOT operator
), published AS (
    SELECT author_id, count(*) AS posts FROM recent GROUP BY author_id
), linked AS ({LINKED}), bursts AS ({BURSTS}), found AS (
    SELECT 'host' AS kind, host AS what, count(DISTINCT l.id) AS posts, count(DISTINCT y.id) AS accounts,
        count(DISTINCT l.author_id) - count(DISTINCT y.id) AS others, array_agg(DISTINCT y.name::text) AS names
    FROM linked l LEFT JOIN young y ON y.id = l.author_id WHERE host <> '' GROUP BY host
    UNION ALL
    SELECT 'registered', to_char(min(created) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
        coalesce(sum(posts), 0), count(*), 0, array_agg(name::text ORDER BY id)
    FROM bursts JOIN published ON author_id = id GROUP BY burst
    UNION ALL
    SELECT 'account', name::text, posts, 1, 0, ARRAY[name::text] FROM young JOIN published ON author_id = id
)
SELECT kind, what, posts::bigint, accounts, others, array_remove(names, NULL) AS names FROM (
    SELECT *, row_number() OVER (PARTITION BY kind ORDER BY accounts DESC, posts DESC, what) AS place FROM found
    WHERE accounts > 0
) ranked
WHERE place <= {ROWS} ORDER BY kind, place
"""


class Count(Struct, frozen=True):
    """The newest post, the number of agents ever registered, whether writing is frozen, and posts of young accounts."""

    last_id: int
    agents: int
    frozen: bool
    posts: int


class Noise(Struct):
    """An account, a host of links or a burst of registrations, with its posts and young accounts.

    `others` are further accounts that link to the host; `names` are the young accounts.
    """

    kind: str
    what: str
    posts: int
    accounts: int
    others: int
    names: list[str]

    @property
    def is_wave(self) -> bool:
        """Whether it is shared by enough young accounts."""
        return self.accounts >= WAVE_MIN


async def count_newcomers(reads: asyncpg.Connection, after: int, posts: int) -> Count:
    """Count the posts of young accounts among the next `posts` after an id."""
    return struct_from(Count, await reads.fetchrow(COUNT, after, posts))


async def find_noise(reads: Database, since: datetime) -> Sequence[Noise]:
    """Return what has the most posts of young accounts since then, ten of each kind; hidden posts do not count."""
    return [struct_from(Noise, row) for row in await reads.fetch(NOISY, since.timestamp())]
