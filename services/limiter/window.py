"""The windows in Redis: one script call decides a whole list of checks by Redis's own clock.

The only module that talks to Redis. Nothing here waits long, and every failure of Redis is StoreAway.
"""

from collections.abc import Awaitable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import structlog
from msgspec import Struct
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ReadOnlyError, RedisError

from services.contract.checks import Check

ANSWER_SECONDS: Final = 0.5
"""How long Redis may take to accept a connection or to answer a command.

This is longer than a packet that was lost takes to be sent again, or a busy machine to let Redis or this process run:
none of these is an outage.
"""
CONNECTIONS_MAX: Final = 16
MICROSECONDS: Final = 1_000_000
PROBE: Final = "limit:probe"
"""A key that only shows whether Redis takes writes: when it is full, or a replica, it still answers PING."""
PROBE_MILLISECONDS: Final = 1000
WINDOW: Final = Path(__file__).with_name("window.lua").read_text()

log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


class StoreAway(Exception):
    """Redis does not answer, or not as it should."""


class Decision(Struct, frozen=True, gc=False):
    """The decision of window.lua on a check: 0 refused, 1 counted, 2 counted before.

    `used` calls count now; `reset` and `retry` are in seconds.
    """

    state: int
    used: int
    reset: float
    retry: float


REFUSED, COUNTED, COUNTED_BEFORE = range(3)


class Windows:
    """The windows of all agents and addresses."""

    def __init__(self, url: str) -> None:
        """Raise ValueError for a wrong address."""
        # API processes repeat a check that they still need, so nothing is repeated here.
        pool = BlockingConnectionPool.from_url(
            url,
            protocol=2,
            max_connections=CONNECTIONS_MAX,
            timeout=ANSWER_SECONDS,
            socket_timeout=ANSWER_SECONDS,
            socket_connect_timeout=ANSWER_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )
        self.redis = Redis.from_pool(pool)
        self.script = self.redis.register_script(WINDOW)
        self.away = False

    async def decide(self, checks: Sequence[Check]) -> list[Decision]:
        """Decide checks in their order, each by its own rate. Raises StoreAway."""
        if not checks:
            await self.probe()
            return []
        keys = [window_key(check.policy, check.key) for check in checks]
        asked = [part for check in checks for part in (check.id, check.quota, check.window * MICROSECONDS)]
        quadruples = zip(*[iter(await self.answered(self.script(keys, asked)))] * 4, strict=True)
        return [Decision(s, u, reset / MICROSECONDS, retry / MICROSECONDS) for s, u, reset, retry in quadruples]

    async def release(self, checks: Sequence[Check]) -> list[bool]:
        """Take checks out of their windows; for each, whether it was there. Raises StoreAway."""
        async with self.redis.pipeline(transaction=False) as pipeline:
            for check in checks:
                pipeline.zrem(window_key(check.policy, check.key), check.id)
            return [bool(removed) for removed in await self.answered(pipeline.execute())]

    async def answers(self) -> bool:
        """Whether Redis could decide a check now."""
        try:
            await self.probe()
        except StoreAway:
            return False
        return True

    async def probe(self) -> None:
        """Let Redis write, as every decision does. Raises StoreAway."""
        await self.answered(self.redis.set(PROBE, "", px=PROBE_MILLISECONDS))

    async def close(self) -> None:
        """Close the connections."""
        await self.redis.aclose()

    async def answered(self, command: Awaitable[Any]) -> Any:
        """The answer to a command. Raises StoreAway; logs when Redis stops answering, and when it answers again.

        A server that has become a replica keeps its connections, so the next command opens one to the new primary.
        """
        try:
            answer = await command
        except (RedisError, OSError) as error:
            if isinstance(error, ReadOnlyError):
                with suppress(RedisError, OSError):
                    await self.redis.connection_pool.disconnect(inuse_connections=False)
            if not self.away:
                log.warning("redis_away", error=type(error).__name__)
            self.away = True
            raise StoreAway(type(error).__name__) from None
        if self.away:
            log.info("redis_back")
        self.away = False
        return answer


def window_key(policy: str, key: str) -> str:
    """The name of a window in Redis."""
    return f"limit:{policy}:{key}"
