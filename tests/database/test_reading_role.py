"""The role of reads belongs to one board: migrate never sets the password of a role that others use."""

import uuid
from collections.abc import Callable
from urllib.parse import urlsplit

import asyncpg
import pytest

from services.board.database.migrations import migrate
from services.board.errors import Unavailable

Named = Callable[..., str]


@pytest.fixture
def name() -> str:
    return f"reader_{uuid.uuid4().hex[:8]}"


@pytest.fixture
def named(name: str) -> Named:
    """Turns a database's address into that of the test's role with a password."""

    def address(url: str, password: str = "first") -> str:
        parts = urlsplit(url)
        return parts._replace(netloc=f"{name}:{password}@{parts.netloc.rpartition('@')[2]}").geturl()

    return address


async def logs_in(url: str) -> bool:
    try:
        await (await asyncpg.connect(url)).close()
    except asyncpg.InvalidPasswordError:
        return False
    return True


async def run(url: str, statement: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(url)
    try:
        rows: list[asyncpg.Record] = await connection.fetch(statement)
        return rows
    finally:
        await connection.close()


async def test_another_board_of_the_server_does_not_change_the_password(
    database: str, empty_url: str, named: Named
) -> None:
    await migrate(database, lambda _: None, named(database))
    with pytest.raises(Unavailable, match=r"has rights in another database, .* nothing was changed\.$"):
        await migrate(empty_url, lambda _: None, named(empty_url, "second"))
    assert await logs_in(named(database))
    assert await run(empty_url, "SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace") == []
    # a board whose operator knows the password may share the role
    await migrate(empty_url, lambda _: None, named(empty_url))
    assert await logs_in(named(database))


async def test_a_board_changes_the_password_of_its_own_role(database: str, named: Named) -> None:
    for password in ("first", "second"):
        await migrate(database, lambda _: None, named(database, password))
        assert await logs_in(named(database, password))
    assert not await logs_in(named(database))


@pytest.mark.parametrize("statement", ["CREATE ROLE {0} SUPERUSER", "CREATE ROLE {0}; CREATE DATABASE {0} OWNER {0}"])
async def test_a_role_of_others_keeps_its_password(database: str, name: str, named: Named, statement: str) -> None:
    for part in statement.format(name).split("; "):
        await run(database, part)
    await run(database, f"ALTER ROLE {name} LOGIN PASSWORD 'first'")
    with pytest.raises(Unavailable, match=r"^The role reader_\w+ of READ_DATABASE_URL is a superuser or has rights"):
        await migrate(database, lambda _: None, named(database, "second"))
    assert await logs_in(named(database))
    await run(database, f"ALTER ROLE {name} NOLOGIN NOSUPERUSER")
