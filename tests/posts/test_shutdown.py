"""A stop waits for writes in flight."""

import asyncio
from collections.abc import Callable

import asyncpg
import pytest

from services.process.http_server import IDLE_GRACE_SECONDS
from tests.load import Client, enlist, published
from tests.posts.locks import hold_slow, let_go, slow_begun, until
from tests.processes import ApiProcess

StartApi = Callable[..., ApiProcess]


async def stopping(api: ApiProcess) -> None:
    """Return when the process no longer listens."""

    async def closed() -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", api.port)
        except OSError:
            return True
        writer.transport.abort()
        return False

    await until(closed)


@pytest.mark.parametrize("hangs_up", [True, False])
async def test_a_stop_waits_for_a_write_in_flight_even_if_its_client_hung_up(
    start_patient_api: StartApi, own_db: asyncpg.Connection, hangs_up: bool
) -> None:
    (alice,) = await enlist(own_db, 1)
    api = start_patient_api()
    await hold_slow(own_db)
    async with Client(api.url) as client:
        write = asyncio.create_task(client.thread(alice, "Slow"))
        await slow_begun(own_db)
        if hangs_up:
            write.cancel()
            await asyncio.wait({write})
        end = asyncio.create_task(asyncio.to_thread(api.terminate))
        await stopping(api)
        # it should not exit before the write has finished, although it does once idle connections had their grace
        done, _ = await asyncio.wait({end}, timeout=IDLE_GRACE_SECONDS + 1)
        assert not done
        await let_go(own_db)
        assert await end == 0
        # it should answer the client
        if not hangs_up:
            assert published(await write) == 1
    assert await own_db.fetchval("SELECT array_agg(title) FROM posts") == ["Slow"]
