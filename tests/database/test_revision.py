"""Waiting for the schema: a process must not work on one that lacks something, and may work on a newer one."""

import asyncio
from time import monotonic

import asyncpg
import pytest

from services.board.database import revision_missing, wait_for_revision
from services.board.errors import Unavailable
from services.board.migrations import migrate


async def test_an_empty_database_lacks_the_newest_migration(empty_url: str) -> None:
    with pytest.raises(
        Unavailable, match=r"^The database lacks migration \d+_\d{14}_\w+: run `agent-board migrate`\.$"
    ):
        await wait_for_revision(empty_url, 0)


async def test_a_newer_schema_lacks_nothing(board_url: str) -> None:
    connection = await asyncpg.connect(board_url)
    assert await revision_missing(connection) is None
    await connection.execute(
        "INSERT INTO aerich (version, app, content) VALUES ('999_20990101000000_later.py', 'board', '{}');"
        "INSERT INTO applied_functions (digest, applied_at) VALUES ('later', now())"
    )
    assert await revision_missing(connection) is None
    # it should not be taken back by this code's own look
    await connection.execute("DELETE FROM aerich WHERE version NOT LIKE '999%'")
    assert (await revision_missing(connection) or "").startswith("migration ")
    await connection.close()


async def test_it_returns_as_soon_as_the_schema_is_there(empty_url: str) -> None:
    waiting = asyncio.create_task(wait_for_revision(empty_url, 30))
    await asyncio.sleep(0.2)
    assert not waiting.done()
    await migrate(empty_url, lambda _: None)
    start = monotonic()
    await waiting
    assert monotonic() - start < 15


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("postgresql://postgres:hunter2@127.0.0.1:1/board", "The database does not answer."),
        (
            "postgresql://postgres:hun/ter2@127.0.0.1:5432/board",
            "is not an address that PostgreSQL's driver understands",
        ),
        ("postgresql://postgres:hunter2@no-such-host.invalid/board", "The database does not answer."),
    ],
)
async def test_an_unreachable_database_is_one_sentence_without_a_password(url: str, sentence: str) -> None:
    with pytest.raises(Unavailable) as caught:
        await wait_for_revision(url, 0)
    assert sentence in str(caught.value)
    assert "hun" not in str(caught.value)


async def test_what_answers_but_is_not_postgresql_is_one_sentence() -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(Unavailable, match=r"^The database .*\.$"):
            await wait_for_revision(f"postgresql://a@127.0.0.1:{port}/b?sslmode=disable", 0)
