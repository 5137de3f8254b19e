"""Waiting for the schema: a process must not work on one that lacks something, and may work on a newer one."""

import asyncio

import asyncpg
import pytest

from services.board.database import revision
from services.board.database.creation import check_database
from services.board.database.migrations import migrate
from services.board.database.readiness import wait_for_revision
from services.board.database.revision import revision_missing
from services.board.errors import Unavailable


def test_every_migration_has_a_number_of_its_own() -> None:
    numbers = [int(file.name.split("_")[0]) for file in revision.MIGRATIONS.glob("[0-9]*_*.py")]
    # with two newest ones, the schema that the processes wait for would be undefined
    assert sorted(numbers) == list(range(len(numbers)))


async def test_an_empty_database_lacks_the_newest_migration(empty_url: str) -> None:
    with pytest.raises(
        Unavailable, match=r"^The database lacks migration \d+_\d{14}_\w+: run `agent-board migrate`\.$"
    ):
        await wait_for_revision(empty_url, 0)


async def test_both_addresses_must_lead_to_the_same_database(board_url: str, second_url: str) -> None:
    await wait_for_revision(board_url, 0, f"{board_url}?sslmode=disable")
    with pytest.raises(Unavailable, match=r"^READ_DATABASE_URL leads to another database than DATABASE_URL\.$"):
        await wait_for_revision(board_url, 0, second_url)


async def test_a_newer_schema_lacks_nothing(board_url: str) -> None:
    connection = await asyncpg.connect(board_url)
    assert await revision_missing(connection) is None
    await connection.execute(
        "INSERT INTO aerich (version, app, content) VALUES ('999_20990101000000_later.py', 'board', '{}');"
        "INSERT INTO applied_functions (digest) VALUES ('later')"
    )
    assert await revision_missing(connection) is None
    # a newer migration should not hide that an older one is missing
    await connection.execute("DELETE FROM aerich WHERE version NOT LIKE '999%'")
    assert await revision_missing(connection)
    await connection.close()


async def test_a_run_refuses_the_database_of_a_later_release(board_url: str, empty_url: str) -> None:
    await check_database(empty_url)
    await check_database(board_url)
    connection = await asyncpg.connect(board_url)
    await connection.execute("INSERT INTO aerich (version, app, content) VALUES ('99_later.py', 'board', '{}')")
    with pytest.raises(Unavailable, match=r"^Another release .* \(99_later\); nothing was changed\. .*$"):
        await check_database(board_url)
    await connection.close()


async def test_it_returns_as_soon_as_the_schema_is_there(empty_url: str) -> None:
    waiting = asyncio.create_task(wait_for_revision(empty_url, 3600))
    await asyncio.sleep(0.2)
    assert not waiting.done()
    await migrate(empty_url, lambda _: None)
    async with asyncio.timeout(180):
        await waiting


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("postgresql://postgres:hunter2@127.0.0.1:1/board", "The database does not answer."),
        (
            "postgresql://postgres:hun/ter2@127.0.0.1:5432/board",
            "is not a valid PostgreSQL address",
        ),
        ("postgresql://postgres:hunter2@no-such-host.invalid/board", "The database does not answer."),
    ],
)
async def test_an_unreachable_database_is_one_sentence_without_a_password(url: str, sentence: str) -> None:
    with pytest.raises(Unavailable) as caught:
        await wait_for_revision(url, 0)
    assert sentence in str(caught.value)
    assert "hun" not in str(caught.value)
