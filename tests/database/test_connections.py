"""The connections that the processes use: their privileges, their timeouts and how they read a time."""

import asyncio
from datetime import UTC, datetime
from urllib.parse import quote, urlsplit

import asyncpg
import pytest

from services.board.database.connections import writing_connection
from services.board.database.migrations import migrate
from services.board.database.pool import read_pool, write_pool
from services.local.ports import free_port

SETTINGS = (
    "SELECT string_agg(current_setting(name), ' ' ORDER BY n) FROM unnest($1::text[]) WITH ORDINALITY AS s(name, n)"
)


async def test_a_reading_connection_cannot_write(board_url: str) -> None:
    async with await read_pool(board_url, 2) as pool:
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            await pool.fetch("UPDATE log_head SET last_id = 1")
        names = ["statement_timeout", "jit", "max_parallel_workers_per_gather", "plan_cache_mode"]
        assert await pool.fetchval(SETTINGS, names) == "5s off 0 auto"


async def test_a_writing_connection_waits_for_little_and_plans_once(board_url: str) -> None:
    names = ["statement_timeout", "lock_timeout", "jit", "plan_cache_mode"]
    async with await write_pool(board_url) as pool:
        assert await pool.fetchval(SETTINGS, names) == "5s 2s off force_generic_plan"
    connection = await writing_connection(board_url, lock_timeout="9s")
    assert await connection.fetchval(SETTINGS, names) == "5s 9s off force_generic_plan"
    await connection.close()


async def test_times_are_unix_seconds_with_six_decimals_both_ways(board_url: str) -> None:
    connection = await writing_connection(board_url)
    text = "2025-10-09T08:53:20.123456+00:00"
    assert await connection.fetchval(f"SELECT timestamptz '{text}'") == 1760000000.123456
    assert await connection.fetchval("SELECT $1::timestamptz = $2::text::timestamptz", 1760000000.123456, text)
    assert await connection.fetchval("SELECT timestamptz 'epoch'") == 0.0
    assert await connection.fetchval("SELECT ARRAY[timestamptz 'epoch']") == [0.0]
    # a time should be exact to the microsecond, even far from now and where a float is slightly too small
    assert await connection.fetchval("SELECT $1::timestamptz", 2163787892.143552) == 2163787892.143552
    late = datetime(2999, 12, 31, 23, 59, 59, 999999, UTC)
    assert await connection.fetchval(f"SELECT timestamptz '{late.isoformat()}'") == late.timestamp()
    await connection.close()


async def test_the_primary_is_found_among_hosts_that_are_silent_or_down(empty_url: str) -> None:
    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(say_nothing, "127.0.0.1", 0) as server:
        silent, port = server.sockets[0].getsockname()[1], urlsplit(empty_url).port
        url = empty_url.replace(f":{port}/", f":{silent},127.0.0.1:{free_port()},127.0.0.1:{port}/")
        await migrate(url, lambda _: None, url)
        async with await read_pool(url, 2) as pool:
            assert await pool.fetchval("SELECT last_id FROM log_head") == 0


@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
async def test_an_address_with_escaped_characters_reaches_the_database(empty_url: str, scheme: str) -> None:
    secret = f"o'dd @na/me:%{scheme}"
    admin = await asyncpg.connect(empty_url)
    await admin.execute("""CREATE ROLE "{}" LOGIN SUPERUSER PASSWORD '{}'""".format(secret, secret.replace("'", "''")))
    await admin.close()
    host = empty_url.partition("@")[2]
    url = f"{scheme}://{quote(secret, safe='')}:{quote(secret, safe='')}@{host}?sslmode=disable"
    await migrate(url, lambda _: None)
    connection = await writing_connection(url)
    assert await connection.fetchval("SELECT current_user::text") == secret
    # aerich should have used the same address
    assert await connection.fetchval("SELECT tableowner::text FROM pg_tables WHERE tablename = 'posts'") == secret
    await connection.close()
