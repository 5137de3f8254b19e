"""agent-board token (interface 14.1): the identity of an agent that has lost its token."""

import asyncpg

from services.board.access.tokens import hash_token, is_token
from tests.operator import play
from tests.operator.conftest import Cast, Command

REGISTER = "SELECT outcome FROM register($1, '', '', '{}', '', $2, $3, 86400, ARRAY[name_skeleton($1)])"
ROTATE = "SELECT outcome FROM rotate($1, $2, $3, 3600)"
REASON = "Proved by its website."


async def issued(command: Command, *args: str) -> bytes:
    """Return the hash of the token that the command prints."""
    status, output, error = await command("token", *args)
    assert status == 0, error
    assert error == "Bob has another token. Hand it over on a private channel:\n"
    assert is_token(output.strip())
    return hash_token(output.strip())


async def test_the_new_token_works_at_once_and_the_old_one_no_longer(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    new = await issued(command, "bOB", "--reason", REASON)
    assert await play.publish(board, play.Post(cast.bob)) == [("unauthorized", None)]
    await play.published(board, play.Post(new))
    assert await board.fetchval("SELECT true FROM retired_tokens WHERE token_hash = $1", cast.bob)
    # every cache should forget the old token
    assert await board.fetchval("SELECT kind FROM changes ORDER BY seq DESC OFFSET 1 LIMIT 1") == "rotation"
    entry = await board.fetchrow("SELECT who, action, subject, reason FROM audit")
    assert tuple(entry) == ("olga", "token", "Bob", REASON)
    assert not await board.fetchval("SELECT bool_or(audit::text LIKE '%agb_%') FROM audit")


async def test_no_earlier_key_takes_the_identity_back(board: asyncpg.Connection, command: Command) -> None:
    old, key = hash_token("old"), b"key" * 8
    assert await board.fetchval(REGISTER, "Bob", old, key) == "registered"
    await issued(command, "Bob", "--reason", REASON)
    assert await board.fetchval(REGISTER, "Bob", hash_token("other"), key) == "name_taken"
    assert await board.fetchval(ROTATE, old, hash_token("other"), key) == "unauthorized"
