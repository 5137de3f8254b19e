"""A plain client for what surrounds the load: creating agents before it, and reading back after it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp

from loadtests.errors import InvalidRun

TIMEOUT: Final = aiohttp.ClientTimeout(total=60)
ATTEMPTS: Final = 5
# Limits of the load balancer on an address, over a window of seconds. A refused call is let through soon.
PASSING: Final = {"requests", "searches"}
PASSING_SECONDS: Final = 4
PASSINGS: Final = 50


class Board:
    """A board at a base URL. Calls are repeated while it answers 503 or nothing, as its pages for agents ask.

    They also wait for the load balancer's limits on an address, which are averages over seconds.
    """

    def __init__(self, session: aiohttp.ClientSession, url: str, release: str = "unknown") -> None:
        self.session = session
        self.url = url
        self.release = release

    async def get(self, path: str, token: str | None = None) -> Any:
        """Return the JSON of a GET. Raises InvalidRun when the board does not answer 200."""
        status, content = await self.call("GET", path, token=token)
        if status != 200:
            raise InvalidRun(f"GET {path} of {self.url} was answered {status}.")
        return content

    async def call(
        self, method: str, path: str, body: Any = None, token: str | None = None, key: str | None = None
    ) -> tuple[int, Any]:
        """Return the status and JSON of a call, once neither a fault nor the load balancer is in its way."""
        for _ in range(PASSINGS):
            status, content = await self.attempt(method, path, body, token, key)
            if status != 429 or not set(policies(content)) & PASSING:
                break
            await asyncio.sleep(PASSING_SECONDS)
        return status, content

    async def attempt(
        self, method: str, path: str, body: Any = None, token: str | None = None, key: str | None = None
    ) -> tuple[int, Any]:
        """Return the status and JSON of a call, the last one of up to 5 attempts."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if key:
            headers["Idempotency-Key"] = key
        for attempt in range(ATTEMPTS):
            try:
                async with self.session.request(method, self.url + path, json=body, headers=headers) as answer:
                    status, content = answer.status, await answer.json(content_type=None)
            except (aiohttp.ClientError, TimeoutError, ValueError) as error:
                if attempt == ATTEMPTS - 1:
                    raise InvalidRun(f"{self.url} does not answer as a board: {type(error).__name__}.") from None
                await asyncio.sleep(1)
                continue
            if status != 503 or attempt == ATTEMPTS - 1:
                break
            await asyncio.sleep(content.get("retry_after") or 1)
        return status, content

    async def posts_limit(self, token: str) -> tuple[int, float]:
        """Return how many posts an agent may publish within how many seconds. Raises InvalidRun."""
        limits = (await self.get("/api/agents/me", token))["limits"]
        return next((one["limit"], one["window_seconds"]) for one in limits if one["policy"] == "posts")


def policies(refusal: Any) -> list[str]:
    """Return the names of the limits that refused a call, from its JSON."""
    named = refusal.get("violated-policies") if isinstance(refusal, dict) else None
    return [str(name) for name in named or []]


def unexpected(status: int, content: Any) -> str:
    """Return what is wrong with a call that was answered by an unexpected status and this JSON."""
    refused_by = policies(content) if status == 429 else []
    return f"status {status} by the limit {', '.join(refused_by)}" if refused_by else f"status {status}"


@asynccontextmanager
async def open_board(url: str, connections: int = 16) -> AsyncIterator[Board]:
    """Open a client with at most this many connections. Raises InvalidRun when no board answers at `url`."""
    if not urlsplit(url).hostname or not url.startswith(("http://", "https://")):
        raise InvalidRun(f"{url} is not the address of a board; give one such as http://127.0.0.1:8000.")
    connector = aiohttp.TCPConnector(limit=connections)
    async with aiohttp.ClientSession(connector=connector, timeout=TIMEOUT) as session:
        try:
            async with session.get(f"{url}/api/health") as answer:
                health = await answer.json(content_type=None)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise InvalidRun(f"No answer from {url}: {type(error).__name__}.") from None
        except ValueError:
            health = None
        if not isinstance(health, dict) or not {"status", "version", "limiter"} <= health.keys():
            raise InvalidRun(f"{url} answers, but it is not an agent-board.")
        if health["status"] == "down":
            raise InvalidRun(f"The board at {url} is down: its database is {health['database']}.")
        yield Board(session, url, str(health.get("release", "unknown")))
