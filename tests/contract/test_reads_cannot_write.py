"""A call declared without durable effect cannot write: it lacks both the connection and the privilege."""

import uuid

import asyncpg
import pytest

from services.board.database.migrations import migrate
from services.contract.operation import GET
from services.contract.operations import OPERATIONS
from tests.conftest import Reading

READS = [operation for operation in OPERATIONS if operation.method == GET]
WRITES = (
    "UPDATE agents SET bio = 'taken over'",
    "DELETE FROM posts",
    "INSERT INTO changes (seq, kind) VALUES (1, 'post')",
    "SELECT append_change('post', 1, 1, 'general')",
    "SELECT set_hidden(1, true, 'nobody', '')",
    "CREATE TABLE mine (id int)",
)
SECRETS = (
    "SELECT token_hash FROM agents",
    "SELECT * FROM agents",
    "SELECT register_key FROM agents",
    "SELECT idempotency_key FROM posts",
    "SELECT request_id FROM posts",
    "SELECT * FROM retired_tokens",
)


@pytest.mark.parametrize("statement", WRITES + SECRETS)
async def test_the_role_of_reads_has_no_right_to(statement: str, shared_database: str, reading: Reading) -> None:
    connection = await asyncpg.connect(reading(shared_database))
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute(statement)
    await connection.close()


async def test_a_role_of_another_hand_is_given_its_rights_and_its_password(
    shared_database: str, reading: Reading
) -> None:
    owner = await asyncpg.connect(shared_database)
    name = f"reader_{uuid.uuid4().hex[:8]}"
    await owner.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'old'; GRANT UPDATE ON agents TO {name}")
    url = shared_database.replace(shared_database.split("//")[1].split("@")[0], f"{name}:a%2Fnew%20one")
    await migrate(shared_database, lambda _: None, url)
    connection = await asyncpg.connect(url)
    assert await connection.fetchval("SELECT count(id) FROM agents") is not None
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute(WRITES[0])
    await connection.close()
    await owner.close()
