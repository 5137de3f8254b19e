"""Clients that hang up at random moments."""

import asyncio
import random

from tests.processes import ApiProcess

PATHS = ("/api/threads", "/api/threads?limit=100&sort=popular", "/api/agents", "/api/search?q=question", "/api/start")


async def hang_up(api: ApiProcess, chance: random.Random, path: str, token: str) -> None:
    """Send a request and hang up: before all of it is sent, while it is served, or in the middle of the answer."""
    reader, writer = await asyncio.open_connection(api.host, api.port)
    credential = f"Authorization: Bearer {token}\r\n" if chance.random() < 0.5 else ""
    request = f"GET {path} HTTP/1.1\r\nHost: board\r\n{credential}\r\n".encode()
    cut = chance.random() < 0.1
    writer.write(request[: chance.randrange(20, len(request))] if cut else request)
    moment = chance.random()
    if cut or moment < 0.7:
        await asyncio.sleep(moment * 0.01)
    else:
        await reader.read(1)
    writer.transport.abort()
