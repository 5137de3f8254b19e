"""Asks the limiter: all checks that wait in this process go in one request on a kept-alive connection.

Two such requests may be under way: while the posts of one batch are committed, those of the next ask. What telling.py
tells goes beside them.

It must never make a call wait long, nor fail: no verdict within 50 ms is None, and the caller goes on without it.
"""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Sequence
from typing import Final, cast

import aiohttp
import msgspec
import structlog

from services.board.contract.checks import CHECK_PATH, CHECKS_MAX, RELEASE_PATH, Check, Verdict
from services.board.process.breaker import Breaker
from services.board.process.metrics import Registry

ANSWER_SECONDS: Final = 0.05
REQUESTS_MAX: Final = 2
# shorter than the limiter keeps a connection, so that it never closes one that is being used
KEEP_ALIVE_SECONDS: Final = 30
CLOSE_SECONDS: Final = 0.1
RELEASES_MAX: Final = 10_000
FRESH_SECONDS: Final = 1.0
JSON: Final = {"Content-Type": "application/json"}
FAILURES: Final = (aiohttp.ClientError, OSError, TimeoutError, msgspec.MsgspecError)

Asked = asyncio.Future[Verdict | None]

log = structlog.get_logger()
encode = msgspec.json.Encoder().encode
decode_verdicts = msgspec.json.Decoder(list[Verdict]).decode


class Refused(aiohttp.ClientError):
    """The limiter has answered, but not with what was asked for."""


class LimiterClient:
    """The way to the limiter at an address."""

    def __init__(self, url: str, registry: Registry) -> None:
        self.url = url
        self.breaker = Breaker()
        self.session: aiohttp.ClientSession | None = None
        self.waiting: deque[tuple[Check, Asked]] = deque()
        self.senders: set[asyncio.Task[None]] = set()
        self.gathering = False  # whether a sender is about to take all that waits
        self.unused: deque[Check] = deque(maxlen=RELEASES_MAX)
        self.releasing: asyncio.Task[None] | None = None
        self.probing = asyncio.Lock()
        self.answered_at = float("-inf")
        self.seconds = registry.distribution(
            "agent_board_limiter_answer_seconds", "Time from sending checks to the limiter to its verdicts."
        )
        self.sizes = registry.distribution(
            "agent_board_limiter_request_checks",
            "Checks sent to the limiter together.",
            bounds=[1, 2, 4, 8, 16, 32, 64, 128, CHECKS_MAX],
        )
        registry.reading(
            "agent_board_limiter_breaker_open",
            "Whether the limiter is left alone because it did not answer, 0 or 1.",
            lambda: int(self.breaker.open),
        )

    async def start(self) -> None:
        """Make what needs the event loop; nothing is sent yet."""
        self.session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=8, keepalive_timeout=KEEP_ALIVE_SECONDS),
            timeout=aiohttp.ClientTimeout(total=ANSWER_SECONDS),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=("Accept", "Accept-Encoding", "User-Agent"),
        )

    async def check(self, check: Check) -> Verdict | None:
        """The limiter's verdict; None when it is away. Then the check may have been counted all the same."""
        if not self.breaker.allows():
            return None
        loop = asyncio.get_running_loop()
        future: Asked = loop.create_future()
        self.waiting.append((check, future))
        if not self.gathering and len(self.senders) < REQUESTS_MAX:
            self.gathering = True
            self.senders.add(asyncio.create_task(self.send_checks(), name="limiter-checks"))
        timer = loop.call_later(ANSWER_SECONDS, settle, future, None)
        try:
            return await future
        finally:
            timer.cancel()

    def release(self, check: Check) -> None:
        """Give a check back that was not used: soon, or never when the limiter is away. It ends with its window."""
        if not self.breaker.open:
            self.unused.append(check)
            if self.releasing is None:
                self.releasing = asyncio.create_task(self.send_releases(), name="limiter-releases")

    async def answers(self) -> bool:
        """Whether the limiter decides checks now; asked at most once a second while it does."""
        async with self.probing:
            if time.monotonic() - self.answered_at < FRESH_SECONDS:
                return True
            return self.breaker.allows() and await self.ask([]) is not None

    async def send_checks(self) -> None:
        """Send what waits, one request after another, until nothing does. Each waiter has a future of its own."""
        try:
            while self.waiting:
                await self.send_batch()
        finally:
            # at once, and not when the task is seen to be done: a check that comes in between would wait for nobody
            self.senders.discard(cast("asyncio.Task[None]", asyncio.current_task()))

    async def send_batch(self) -> None:
        self.gathering = False
        taken = [self.waiting.popleft() for _ in range(min(len(self.waiting), CHECKS_MAX))]
        # who has given up is not asked about
        batch = [(check, future) for check, future in taken if not future.done()]
        verdicts = await self.ask([check for check, _ in batch]) if batch else []
        for number, (_, future) in enumerate(batch):
            settle(future, None if verdicts is None else verdicts[number])

    async def ask(self, checks: Sequence[Check]) -> list[Verdict] | None:
        """The verdicts on some checks, in their order; None when the limiter is away."""
        began = time.perf_counter()
        try:
            verdicts = decode_verdicts(await self.exchange(CHECK_PATH, checks))
            if len(verdicts) != len(checks):
                raise Refused("not as many verdicts as checks")
        except FAILURES as error:
            log.warning("limiter_away", error=type(error).__name__)
            self.breaker.failed()
            self.answered_at = float("-inf")
            return None
        self.breaker.succeeded()
        self.answered_at = time.monotonic()
        self.seconds.observe(time.perf_counter() - began)
        self.sizes.observe(len(checks))
        return verdicts

    async def send_releases(self) -> None:
        """Give back what was not used, until there is no more."""
        while self.unused:
            batch = [self.unused.popleft() for _ in range(min(len(self.unused), CHECKS_MAX))]
            try:
                await self.exchange(RELEASE_PATH, batch)
            except FAILURES as error:
                log.warning("releases_lost", checks=len(batch), error=type(error).__name__)
        self.releasing = None

    async def exchange(self, path: str, checks: Sequence[Check]) -> bytes:
        if self.session is None or self.session.closed:
            raise Refused("closed")
        async with self.session.post(self.url + path, data=encode(checks), headers=JSON) as response:
            body = await response.read()
        if response.status != 200:
            raise Refused(f"status {response.status}")
        return body

    def tasks(self) -> set[asyncio.Task[None]]:
        """What is being sent."""
        return self.senders if self.releasing is None else {*self.senders, self.releasing}

    async def close(self) -> None:
        """Send what is to be sent yet, for 0.1 s at most, and stop asking. Who waits is told None within 50 ms."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                while tasks := self.tasks():
                    await asyncio.wait(tasks)
        for task in self.tasks():
            task.cancel()
        if self.session is not None:
            await self.session.close()


def settle(future: Asked, verdict: Verdict | None) -> None:
    if not future.done():
        future.set_result(verdict)
