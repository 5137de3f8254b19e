"""The windows in Redis: one script call decides a whole list of checks by Redis's own clock.

The only module that talks to Redis. Nothing here waits long, and every failure of Redis is StoreAway.
"""

import asyncio
import hashlib
import math
from collections.abc import Awaitable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import hiredis
import structlog
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError

from services.contract.checks import Check
from services.process.patience import reply_within

from .policies import Policy

CONNECTIONS: Final = 4
CONNECT_SECONDS: Final = 0.03
ANSWER_SECONDS: Final = 0.03
POLICIES_KEY: Final = "limit-policies"
MICROSECONDS: Final = 1_000_000

T = TypeVar("T")

_log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


class Script(NamedTuple):
    """A Lua script and the SHA-1 by which Redis knows it."""

    text: bytes
    sha: str


def _script(name: str) -> Script:
    text = Path(__file__).with_name(name).read_bytes()
    return Script(text, hashlib.sha1(text, usedforsecurity=False).hexdigest())


WINDOW: Final = _script("window.lua")
POLICIES: Final = _script("policies.lua")


class StoreAway(Exception):
    """Redis does not answer, or not as it should."""


class Decision(NamedTuple):
    """The decision of window.lua on a check: 0 refused, 1 counted, 2 counted before, 3 allowed because of the shadow.

    `used` calls count now; `reset` and `retry` are in seconds.
    """

    state: int
    used: int
    reset: float
    retry: float


REFUSED, COUNTED, COUNTED_BEFORE, SHADOW = range(4)


class Windows:
    """The windows of all agents and addresses, and the policies that were changed at run time."""

    def __init__(self, url: str) -> None:
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=CONNECTIONS,
            timeout=ANSWER_SECONDS,
            socket_connect_timeout=CONNECT_SECONDS,
            socket_timeout=ANSWER_SECONDS,
            retry=Retry(NoBackoff(), 0),
            protocol=2,
            driver_info=None,
        )
        # their types are missing, or those of their synchronous counterparts
        self._redis: Any = Redis.from_pool(pool)
        # Scripts have a connection of their own, because taking one from the pool costs several times more than a
        # script. Without a timeout of its own it needs no task to send.
        self._scripts: Any = pool.make_connection()  # type: ignore[no-untyped-call]
        self._scripts.socket_timeout = None
        self._turn = asyncio.Lock()
        self._commands: set[asyncio.Task[Any]] = set()
        self._away = False
        self.loads = 0

    async def decide(
        self, revision: int, policies: Mapping[str, Policy], checks: Sequence[Check]
    ) -> list[Decision] | None:
        """Decide checks in their order by the policies of a revision. Raises StoreAway.

        None when another revision is in force; then nothing was decided.
        """
        numbers = {name: number for number, name in enumerate(policies, 1)}
        rates = [(p.quota, p.window * MICROSECONDS, int(p.shadow)) for p in policies.values()]
        keys = [POLICIES_KEY, *(window_key(check.policy, check.key) for check in checks)]
        asked = [part for check in checks for part in (numbers[check.policy], check.id)]
        found, *decided = await self._run(WINDOW, keys, [revision, len(rates), *chain.from_iterable(rates), *asked])
        if found != revision:
            return None
        quadruples = zip(*[iter(decided)] * 4, strict=True)
        return [Decision(s, u, reset / MICROSECONDS, retry / MICROSECONDS) for s, u, reset, retry in quadruples]

    async def release(self, checks: Sequence[Check]) -> list[bool]:
        """Take checks out of their windows; for each, whether it was there. Raises StoreAway."""
        pipeline = self._redis.pipeline(transaction=False)
        for check in checks:
            pipeline.zrem(window_key(check.policy, check.key), check.id)
        return [bool(removed) for removed in await self._command(pipeline.execute())]

    async def read(self, policy: str, key: str) -> tuple[float, list[float]]:
        """Redis's time, and the times of the calls that a window holds, oldest first; all in Unix seconds.

        Calls that no longer count may be among them. Raises StoreAway.
        """
        pipeline = self._redis.pipeline(transaction=False)
        pipeline.time()
        pipeline.zrange(window_key(policy, key), 0, -1, withscores=True)
        (seconds, microseconds), calls = await self._command(pipeline.execute())
        return seconds + microseconds / MICROSECONDS, [score / MICROSECONDS for _, score in calls]

    async def forget(self, policy: str, key: str) -> bool:
        """Empty a window; return whether it held anything. Raises StoreAway."""
        return bool(await self._command(self._redis.delete(window_key(policy, key))))

    async def read_policies(self) -> tuple[int, bytes | None]:
        """The revision and the state in force: 0 and None when Redis has none. Raises StoreAway."""
        revision, state = await self._command(self._redis.hmget(POLICIES_KEY, "revision", "state"))
        return int(revision or 0), state

    async def replace_policies(self, expected: int, revision: int, state: bytes) -> bool:
        """Put a state in force; False when the revision in force is not the expected one. Raises StoreAway."""
        return bool(await self._run(POLICIES, [POLICIES_KEY], [expected, revision, state]))

    async def answers(self) -> bool:
        """Whether Redis answers now."""
        try:
            return bool(await self._command(self._redis.ping()))
        except StoreAway:
            return False

    async def close(self) -> None:
        """Wait for the commands in flight, each of which ends soon, and close the connections."""
        await asyncio.gather(*self._commands, return_exceptions=True)
        async with self._turn:
            await self._scripts.disconnect()
        await self._redis.aclose(close_connection_pool=True)

    async def _run(self, script: Script, keys: Sequence[str], arguments: Sequence[str | int | bytes]) -> Any:
        async with self._turn:
            try:
                return await self._evaluate(script, (len(keys), *keys, *arguments))
            except (RedisError, OSError) as error:
                raise self._away_by(error) from None

    async def _evaluate(self, script: Script, rest: tuple[str | int | bytes, ...]) -> Any:
        await self._connect()
        try:
            reply = await self._ask("EVALSHA", script.sha, *rest)
        except NoScriptError:
            self.loads += 1
            reply = await self._ask("EVAL", script.text, *rest)
        self._note(None)
        return reply

    async def _connect(self) -> None:
        """Connect again, unless the connection is there and nothing, such as its end, has arrived meanwhile."""
        if self._scripts.is_connected and await self._scripts.can_read():
            await self._scripts.disconnect(nowait=True)
        if not self._scripts.is_connected:
            async with reply_within(CONNECT_SECONDS):
                await self._scripts.connect()

    async def _ask(self, *command: str | int | bytes) -> Any:
        """Send a command and read its reply, without the wrapping by redis-py, which costs more than both.

        redis-py closes the connection unless the whole reply was read, so it is never taken for that to another one.
        """
        async with reply_within(ANSWER_SECONDS):
            await self._scripts.send_packed_command(hiredis.pack_command(command), check_health=False)  # type: ignore[arg-type]
            return await self._scripts.read_response(timeout=math.inf)

    async def _command(self, command: Awaitable[T]) -> T:
        # In a task of its own, which is never cancelled: a command that was cut off would leave its reply to the next
        # one on that connection, or leak the connection.
        task = asyncio.ensure_future(command)
        self._commands.add(task)
        task.add_done_callback(self._ended)
        try:
            result = await asyncio.shield(task)
        except (RedisError, OSError) as error:
            raise self._away_by(error) from None
        self._note(None)
        return result

    def _away_by(self, error: Exception) -> StoreAway:
        self._note(type(error).__name__)
        return StoreAway(type(error).__name__)

    def _note(self, error: str | None) -> None:
        """Log when Redis stops answering, and when it answers again."""
        if error is not None and not self._away:
            _log.warning("redis_away", error=error)
        elif error is None and self._away:
            _log.info("redis_back")
        self._away = error is not None

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        self._commands.discard(task)
        if not task.cancelled():
            task.exception()  # retrieved here: the caller may have been cancelled


def window_key(policy: str, key: str) -> str:
    """The name of a window in Redis."""
    return f"limit:{policy}:{key}"
