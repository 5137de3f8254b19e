"""A call declared without durable effect cannot write: it has neither the connection nor the right (architecture 5)."""

import inspect
import secrets
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from services.api.handlers import handlers
from services.board.contract.operations import GET, OPERATIONS, Operation
from tests.contract.examples import path_of
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Web

READS = [operation for operation in OPERATIONS if operation.method == GET]
SECRETS = {"agents": {"token_hash", "token_origin", "register_key", "register_fingerprint"}}


def reading_role(operator: Operator) -> str:
    """Make a role that can read what is public and nothing else; returns the address of the database for it."""
    name, password = f"reader_{secrets.token_hex(4)}", secrets.token_urlsafe(12)
    operator.sql(f"CREATE ROLE {name} LOGIN PASSWORD '{password}'")
    tables = operator.sql(
        "SELECT table_name::text, array_agg(column_name::text) FROM information_schema.columns"
        " WHERE table_schema = 'public' AND table_name <> 'retired_tokens' GROUP BY table_name"
    )
    for table, names in tables:
        seen = ", ".join(f'"{column}"' for column in names if column not in SECRETS.get(table, ()))
        operator.sql(f"GRANT SELECT ({seen}) ON {table} TO {name}")
    parts = urlsplit(operator.url)
    return f"postgresql://{name}:{password}@{parts.hostname}:{parts.port}{parts.path}"


def test_reads_need_no_right_to_write_and_none_on_secrets(start_api: Callable[..., ApiProcess], database: str) -> None:
    api = start_api(READ_DATABASE_URL=reading_role(Operator(database)))
    with Web(api.url) as web:
        alice = web.register("alice")
        thread = alice.thread()
        answers = {operation.name: alice.get(path_of(operation, alice, thread)).status for operation in READS}
    assert answers == dict.fromkeys(answers, 200)


@pytest.mark.parametrize("operation", READS, ids=lambda operation: str(operation.name))
def test_the_handler_of_a_read_takes_nothing_that_could_write(operation: Operation) -> None:
    source = inspect.getsource(handlers()[operation.name])
    assert not [part for part in ("writes", "committer", "look_ups") if part in source]
