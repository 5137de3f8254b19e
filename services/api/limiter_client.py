"""The client of the limiter: checks that wait together go in one request on a kept-alive connection.

Two requests may be in flight: while the posts of one batch are committed, those of the next are checked. The limiter
never delays a call for long and never makes it fail: after 250 ms the call continues without a verdict.
"""

import asyncio
import contextlib
import time
from collections.abc import Sequence
from functools import cached_property
from typing import Final

import aiohttp
import msgspec
import structlog
from prometheus_client import Gauge, Histogram

from services.contract.checks import CHECK_PATH, CHECKS_MAX, RELEASE_PATH, Check, Verdict
from services.process.breaker import Breaker
from services.process.metrics import SECONDS, Registry
from services.process.queue import Queue

ANSWER_SECONDS: Final = 0.25
# shorter than the limiter keeps a connection, so that it hardly ever closes one that is being used
IDLE_SECONDS: Final = 30.0
REQUESTS_MAX: Final = 2
CLOSE_SECONDS: Final = 0.1
RELEASES_MAX: Final = 10_000
FRESH_SECONDS: Final = 1.0
LATE_SECONDS: Final = 1.0
JSON: Final = {"Content-Type": "application/json"}

log = structlog.get_logger()
encode = msgspec.json.Encoder().encode
decode_verdicts = msgspec.json.Decoder(list[Verdict]).decode


class Refused(Exception):
    """The limiter has answered, but not as it should."""


FAILURES: Final = (Refused, aiohttp.ClientError, OSError, UnicodeError, RecursionError, msgspec.MsgspecError)


class LimiterClient:
    """Asks the limiter at an address for verdicts, and releases checks that were not used."""

    def __init__(self, url: str, registry: Registry) -> None:
        self.url = url
        self.registry = registry
        registry.background_errors.labels("limiter-checks")
        registry.background_errors.labels("limiter-releases")
        self.breaker = Breaker()
        self.checks: Queue[Check, Verdict | None] = Queue(
            "limiter-checks", self.ask, calls_max=REQUESTS_MAX, size_max=CHECKS_MAX
        )
        self.releases: Queue[Check, None] = Queue("limiter-releases", self.send_releases, size_max=CHECKS_MAX)
        self.probing = asyncio.Lock()
        self.answered_at = float("-inf")
        self.lost = False  # a verdict, and nothing has been answered since
        self.lost_until = float("-inf")  # when the limiter answered again
        self.measure(registry)

    def measure(self, registry: Registry) -> None:
        """Register the metrics of requests to the limiter."""
        self.seconds = Histogram(
            "agent_board_limiter_answer_seconds",
            "Time from sending checks to the limiter to its verdicts.",
            buckets=SECONDS,
            registry=registry,
        )
        Gauge(
            "agent_board_limiter_breaker_open",
            "Whether the limiter is not asked because it did not answer, 0 or 1.",
            registry=registry,
        ).set_function(lambda: int(self.breaker.open))

    async def check(self, check: Check) -> Verdict | None:
        """The limiter's verdict; None without an answer in time. Even then the check may have been counted."""
        if not self.breaker.allows():
            return None
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await self.checks.submit(check)
        except TimeoutError:
            self.lost = True
            return None

    def may_count_lost_checks(self, window: float) -> bool:
        """Whether a window of this many seconds may hold checks whose verdicts never reached this process.

        A limiter or Redis that was frozen decides what it had received when it continues.
        """
        return self.lost or time.monotonic() - self.lost_until < window + LATE_SECONDS

    def release(self, check: Check) -> None:
        """Give back a check that was not used: soon, or not at all while the limiter is away. It expires anyway."""
        if not self.breaker.open and self.releases.waiting < RELEASES_MAX:
            self.releases.put(check)

    async def answers(self) -> bool:
        """Whether the limiter decides checks now; while it does, it is asked at most once a second."""
        async with self.probing:
            if not self.has_answered() and self.breaker.allows():
                await self.ask([])
            return self.has_answered()

    def has_answered(self) -> bool:
        """Whether the limiter has decided a check within the last second."""
        return time.monotonic() - self.answered_at < FRESH_SECONDS

    async def ask(self, checks: Sequence[Check]) -> Sequence[Verdict | None]:
        """The verdicts on some checks, in their order; all None when the limiter is away."""
        began = time.monotonic()
        try:
            verdicts = decode_verdicts(await self.post(CHECK_PATH, encode(checks), ANSWER_SECONDS))
            if len(verdicts) != len(checks):
                raise Refused("the number of verdicts differs from that of the checks")
        except FAILURES as error:
            log.warning("limiter_away", error=type(error).__name__)
            return self.without_verdicts(checks)
        except Exception as error:  # noqa: BLE001 - the limiter never makes a call fail
            self.registry.record_error("limiter-checks", error)
            return self.without_verdicts(checks)
        self.breaker.succeeded()
        self.answered_at = time.monotonic()
        if self.lost:
            self.lost, self.lost_until = False, self.answered_at
        self.seconds.observe(self.answered_at - began)
        return verdicts

    def without_verdicts(self, checks: Sequence[Check]) -> list[None]:
        """Note that the limiter is away, and return no verdict for each check."""
        self.breaker.failed()
        self.lost = True
        self.answered_at = float("-inf")
        return [None] * len(checks)

    async def post(self, path: str, body: bytes, seconds: float) -> bytes:
        """Return the body of an answer. Raises the errors of FAILURES; TimeoutError after this many seconds."""
        async with asyncio.timeout(seconds):
            try:
                return await self.exchange(path, body)
            except aiohttp.ClientConnectionError:
                # A limiter that stops may close a kept connection while a request is on its way. Checks and releases
                # may be sent again.
                return await self.exchange(path, body)

    async def exchange(self, path: str, body: bytes) -> bytes:
        if self.session.closed:
            raise Refused("the client is closed")
        async with self.session.post(self.url + path, data=body, headers=JSON, allow_redirects=False) as answer:
            if answer.status != 200:
                raise Refused(f"status {answer.status}")
            return await answer.read()

    @cached_property
    def session(self) -> aiohttp.ClientSession:
        """The connections to the limiter; each new one goes to the next address of its name."""
        connector = aiohttp.TCPConnector(keepalive_timeout=IDLE_SECONDS)
        return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())

    async def send_releases(self, batch: Sequence[Check]) -> list[None]:
        """Send releases, for which no call waits."""
        try:
            await self.post(RELEASE_PATH, encode(batch), ANSWER_SECONDS)
        except FAILURES as error:
            log.warning("releases_lost", checks=len(batch), error=type(error).__name__)
        except Exception as error:  # noqa: BLE001 - no call waits for it
            self.registry.record_error("limiter-releases", error)
        return [None] * len(batch)

    async def close(self) -> None:
        """Wait 0.1 s at most for the requests in flight and the releases, then close the connections."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.checks.join()
                await self.releases.join()
        await self.session.close()
