"""The faults that keep a running board from its promises, as another process sees them: one sentence for each."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Final

import asyncpg

from services.board.database.load import find_invalid_indexes, find_load
from services.board.inbox import deliveries
from services.board.search import search

LATE_SECONDS: Final = 60.0
USED_MAX: Final = 0.8
ANSWER_SECONDS: Final = 5.0
FindAge = Callable[[asyncpg.Connection], Awaitable[float | None]]
"""Finds for how many seconds the verifiable log has waited to be signed, or None if nothing waits."""


async def find_troubles(connection: asyncpg.Connection, port: int, find_log_age: FindAge) -> list[str]:
    """Return a sentence for each thing that is wrong with a board, and with the API process on a port here."""
    health = await asyncio.to_thread(lambda: list(health_troubles(port)))
    server = [sentence async for sentence in server_troubles(connection)]
    late = [sentence async for sentence in late_followers(connection)]
    return [*health, *server, *late, *unsigned(await find_log_age(connection))]


def health_troubles(port: int) -> Iterator[str]:
    """Yield the faults that an API process on a port of this machine reports of itself and of the limiter."""
    import urllib.error
    import urllib.request  # loads the client of HTTP, which no other command needs

    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/health", timeout=ANSWER_SECONDS) as answer:
            said = answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        with error:
            yield f"The API process answers {error.code} to /api/health: {error.read(300).decode(errors='replace')}"
        return
    except OSError as error:
        yield f"No API process answers on port {port} of this machine ({error})."
        return
    if "degraded" in said:
        yield f"The API process is degraded: {said[:300]}"


async def server_troubles(connection: asyncpg.Connection) -> AsyncIterator[str]:
    for name in await find_invalid_indexes(connection):
        yield f"The index {name} is not valid; REINDEX INDEX CONCURRENTLY builds it again."
    load = await find_load(connection)
    if load.used > USED_MAX * load.most:
        yield f"{load.used} of {load.most} connections are in use; a roll needs those of one more replica."
    if load.lonely:
        yield "No standby is connected, although synchronous_standby_names has one: writes are answered 503."


async def late_followers(connection: asyncpg.Connection) -> AsyncIterator[str]:
    """Yield the delays of the fan-out."""
    late = [each for each in await deliveries.find_positions(connection) if (each.age or 0) > LATE_SECONDS]
    if late:
        yield f"The inboxes of {len(late)} partitions are behind by up to {max(each.age or 0 for each in late):.0f} s."
    index = await search.find_position(connection)
    if (index.age or 0) > LATE_SECONDS:
        yield f"The search index is behind by {index.age:.0f} s."


def unsigned(age: float | None) -> Iterator[str]:
    """Yield a sentence if the verifiable log has waited for too long to be signed."""
    if (age or 0) > LATE_SECONDS:
        yield f"The verifiable log has not been signed for {age:.0f} s: is LOG_KEY the key with which it began?"
