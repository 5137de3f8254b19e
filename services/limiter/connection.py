"""The connection to Redis: commands are sent at once, and each reply goes to the oldest command that has none.

The only module that talks to Redis. redis-py connects, because it understands every form of address; its commands cost
more than Redis's work on them. Nothing here waits long, and every failure of Redis is StoreAway.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Any, Final

import hiredis
import structlog
from redis.asyncio import ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from services.process.patience import Overdue, reply_within

ANSWER_SECONDS: Final = 0.5
"""How long Redis may take to accept a connection or to answer a command.

API processes wait less. This is longer than a packet that was lost takes to be sent again, or a busy machine to let
Redis run: neither is an outage.
"""

Command = tuple[str | int | bytes, ...]

_log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


class StoreAway(Exception):
    """Redis does not answer, or not as it should."""


class Asked:
    """Commands that were sent together, and the replies so far."""

    __slots__ = ("count", "replies", "result")

    def __init__(self, count: int) -> None:
        self.count = count
        self.replies: list[Any] = []
        self.result: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()


class Replies(asyncio.Protocol):
    """One connection, and the commands that wait for its replies. A reply without a command ends it."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer  # it would close the connection when it is collected
        self._transport: Any = writer.transport
        self._reader = hiredis.Reader()
        self._waiting: deque[Asked] = deque()
        self._transport.set_protocol(self)

    @property
    def usable(self) -> bool:
        return not self._transport.is_closing()

    async def ask(self, commands: Sequence[Command]) -> list[Any]:
        """Return the replies. If the caller is cancelled, they are dropped when they arrive. Raises OSError."""
        asked = Asked(len(commands))
        self._waiting.append(asked)
        self._transport.write(b"".join(map(hiredis.pack_command, commands)))  # type: ignore[arg-type]
        overdue = Overdue(ANSWER_SECONDS, lambda: self._end(TimeoutError()))
        try:
            return await asked.result
        finally:
            overdue.cancel()

    def data_received(self, data: bytes) -> None:
        """Hand the replies to the commands in their order."""
        try:
            self._reader.feed(data)
            while (reply := self._reader.gets()) is not False:
                asked = self._waiting[0]
                asked.replies.append(reply)
                if len(asked.replies) == asked.count:
                    self._waiting.popleft()
                    if not asked.result.done():
                        asked.result.set_result(asked.replies)
        except (hiredis.ProtocolError, IndexError):
            self._end(ConnectionError())

    def connection_lost(self, error: Exception | None) -> None:
        """Fail the commands that wait."""
        self._end(ConnectionError())

    def close(self) -> None:
        """Close the connection after what was sent."""
        self._transport.close()

    def _end(self, error: OSError) -> None:
        """Cut the connection, so that a late reply reaches no later command."""
        self._transport.abort()
        while self._waiting:
            asked = self._waiting.popleft()
            if not asked.result.done():
                asked.result.set_exception(error)


class Connection:
    """Redis at an address: connects when there is no connection, and logs when Redis stops and starts to answer."""

    def __init__(self, url: str) -> None:
        """Raise ValueError for a wrong address."""
        retry = Retry(NoBackoff(), 0)
        self._pool = ConnectionPool.from_url(url, retry=retry, protocol=2, driver_info=None)
        self._replies: Replies | None = None
        self._turn = asyncio.Lock()
        self._away = False

    async def ask(self, *commands: Command) -> list[Any]:
        """Return one reply for each command; some may be errors (hiredis.ReplyError). Raises StoreAway."""
        try:
            replies = self._replies
            if replies is None or not replies.usable:
                replies = await self._connect()
            found = await replies.ask(commands)
        except (RedisError, OSError) as error:
            self.note(type(error).__name__)
            raise StoreAway(type(error).__name__) from None
        return found

    def note(self, error: str | None) -> None:
        """Log when Redis stops answering, and when it answers again."""
        if error is not None and not self._away:
            _log.warning("redis_away", error=error)
        elif error is None and self._away:
            _log.info("redis_back")
        self._away = error is not None

    async def close(self) -> None:
        """Close the connection; commands in flight get StoreAway."""
        async with self._turn:
            if self._replies is not None:
                self._replies.close()

    async def _connect(self) -> Replies:
        async with self._turn:
            if self._replies is None or not self._replies.usable:
                self._replies = Replies(await self._connected())
            return self._replies

    async def _connected(self) -> asyncio.StreamWriter:
        """Connect and log in with redis-py, and take the connection over."""
        connection: Any = self._pool.make_connection()  # type: ignore[no-untyped-call]
        try:
            async with reply_within(ANSWER_SECONDS):
                await connection.connect()
        except BaseException:
            await connection.disconnect(nowait=True)
            raise
        writer: asyncio.StreamWriter = connection._writer  # noqa: SLF001
        connection._reader = connection._writer = None  # noqa: SLF001
        return writer
