"""The connection of Tortoise to the database, for migrations and for the lists of the operator's command."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
from tortoise.context import TortoiseContext

from .connections import CONNECT_SECONDS
from .primary import connect

APP = "board"
# All other statements on a table queue behind a migration that waits for it: it gives up soon and tries again.
MIGRATING = {"application_name": "agent-board migrate", "lock_timeout": "500ms"}
LISTING = {
    "application_name": "agent-board operator",
    "default_transaction_read_only": "on",
    "statement_timeout": "60s",
}


def tortoise_config(url: str, session: dict[str, str] = MIGRATING) -> dict[str, Any]:
    """Return Tortoise's configuration for the database at `url` (postgres:// or postgresql://).

    Tortoise would parse the address itself, and lose escaped user names, `sslmode` and multiple hosts. It hands what
    it does not know to the driver's pool, which connects with `reach`.
    """

    async def reach(*_: object, **__: object) -> asyncpg.Connection:
        return await connect(url, timeout=CONNECT_SECONDS, server_settings=session)

    credentials = {"connect": reach, "minsize": 1, "maxsize": 1}
    return {
        "connections": {"default": {"engine": "tortoise.backends.asyncpg", "credentials": credentials}},
        "apps": {APP: {"models": ["services.board.database.models", "aerich.models"], "default_connection": "default"}},
    }


@asynccontextmanager
async def reading_models(url: str) -> AsyncIterator[None]:
    """Let the models of services/board/database/models be read, and not written, within the block."""
    async with TortoiseContext() as context:
        await context.init(config=tortoise_config(url, LISTING))
        yield
