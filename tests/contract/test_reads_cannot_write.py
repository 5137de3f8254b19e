"""A call declared without durable effect cannot write: it lacks both the connection and the privilege."""

import asyncio
import inspect
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import Any

import asyncpg
import pytest

from services.api.documents.rendering import documents
from services.api.handlers.call import Call
from services.api.handlers.resources import Resources
from services.api.handlers.shared_reads import SharedReads
from services.api.http.parsing import PathValues
from services.api.pages.site import Site
from services.api.request.table import handlers
from services.board.access.rates import RatesInForce
from services.board.database.connections import READING, probing_connection, read_pool
from services.board.database.migrations import migrate
from services.board.database.pool import Pool
from services.board.errors import NotFound
from services.board.links import Links
from services.board.overview.health import Probe
from services.board.validation.bodies import validate
from services.contract.operation import GET, Operation
from services.contract.operations import OPERATIONS
from tests.conftest import Reading
from tests.contract.examples import each_of
from tests.load import caller_of, enlist
from tests.processes import ApiProcess

READS = [operation for operation in OPERATIONS if operation.method == GET]
ASKING = [operation for operation in READS if not operation.document]
LINKS = Links("http://127.0.0.1:8000")
rendered = cache(lambda: (documents(LINKS), Site(LINKS)))
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


class Tempted:
    """The pool of reads, trying on each of its connections statements that a read must not run."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        # the error of each attempt, None if it succeeded
        self.outcomes: list[type[Exception] | None] = []

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[asyncpg.Connection]:
        async with self.pool.acquire() as connection:
            await self.tempt(connection)
            yield connection

    async def tempt(self, connection: asyncpg.Connection) -> None:
        # any code that can run statements can also run this one
        await connection.execute("SET default_transaction_read_only = off")
        for statement in (WRITES[0], SECRETS[0]):
            try:
                await connection.execute(statement)
                self.outcomes.append(None)
            except asyncpg.PostgresError as error:
                self.outcomes.append(type(error))

    def __getattr__(self, name: str) -> Any:
        async def tempted(*args: object) -> Any:
            async with self.acquire() as connection:
                return await getattr(connection, name)(*args)

        return tempted


async def tempt(operation: Operation, url: str, read_url: str) -> list[type[Exception] | None]:
    """Run the handler of an operation; return the outcomes of the statements on its connections."""
    connection = await asyncpg.connect(url)
    (agent,) = await enlist(connection, 1)
    caller = await caller_of(connection, agent.id)
    await connection.close()
    pool = await read_pool(read_url, 2)
    reads: Any = Tempted(pool)

    async def probing() -> asyncpg.Connection:
        connection = await probing_connection(read_url)
        await reads.tempt(connection)
        return connection

    nothing: Any = None
    probe = Probe(probing)
    texts, site = rendered()
    resources = Resources(
        reads=reads,
        searches=reads,
        shared=SharedReads(reads),
        writes=nothing,
        probe=probe,
        is_stalled=lambda: False,
        committer=nothing,
        links=LINKS,
        documents=texts,
        site=site,
        secret_guard=True,
        rates=RatesInForce(),
        limiter=None,
    )
    path: PathValues = {"id": 1, "name": agent.name, "event_id": 1, "slug": "general"}
    path |= {"bundle": "000.p/1", "tile": "1/000"}
    call = Call(operation, uuid.uuid4().int, path=path, feed_read=0)
    call.caller = caller
    required = {"ids": [1]} if operation.name == "list_posts" else {}
    call.query = validate(operation.query, required, part="query") if operation.query else None
    with suppress(NotFound):  # there is no thread 1; only the attempts before the error matter
        await handlers()[operation.name](resources, call)
    await probe.close()
    await pool.close()
    return list(reads.outcomes)


@each_of(ASKING)
def test_no_read_can_write_or_see_a_secret(operation: Operation, shared_database: str, reading: Reading) -> None:
    outcomes = asyncio.run(tempt(operation, shared_database, reading(shared_database)))
    assert set(outcomes) == {asyncpg.InsufficientPrivilegeError}


@pytest.mark.parametrize("statement", WRITES + SECRETS)
async def test_the_role_of_reads_has_no_right_to(statement: str, shared_database: str, reading: Reading) -> None:
    connection = await asyncpg.connect(reading(shared_database))
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute(statement)
    await connection.close()


async def test_connections_of_reads_are_read_only_whatever_their_role(shared_database: str) -> None:
    connection = await asyncpg.connect(shared_database, server_settings=READING)
    with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
        await connection.execute(WRITES[0])
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


def test_the_board_runs_on_the_role_of_reads(start_api: Callable[..., ApiProcess]) -> None:
    api = start_api()
    assert "agent_board_reader" in api.env["READ_DATABASE_URL"]
    assert api.operator("/readyz")[0] == 200


@each_of(READS)
def test_the_handler_of_a_read_takes_nothing_that_could_write(operation: Operation) -> None:
    source = inspect.getsource(handlers()[operation.name])
    assert not [part for part in ("writes", "committer") if part in source]
