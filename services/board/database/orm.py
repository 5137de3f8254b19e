"""The connection of Tortoise to the database, for migrations and for the lists of the operator's command."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
from tortoise.backends.asyncpg.client import AsyncpgDBClient
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


class AddressClient(AsyncpgDBClient):
    """Tortoise's client, connected with the complete address.

    Tortoise parses addresses itself, and loses escaped user names, `sslmode` and multiple hosts.
    """

    def __init__(self, address: str, session: dict[str, str], **settings: Any) -> None:
        super().__init__(**settings)
        self.address = address
        self.session = session

    async def create_pool(self, **_: Any) -> asyncpg.Pool:
        return await asyncpg.create_pool(
            self.address,
            min_size=1,
            max_size=1,
            connect=connect,
            timeout=CONNECT_SECONDS,
            server_settings=self.session,
        )


client_class = AddressClient


def tortoise_config(url: str, session: dict[str, str] = MIGRATING) -> dict[str, Any]:
    """Return Tortoise's configuration for the database at `url` (postgres:// or postgresql://)."""
    return {
        "connections": {"default": {"engine": __name__, "credentials": {"address": url, "session": session}}},
        "apps": {APP: {"models": ["services.board.database.models", "aerich.models"], "default_connection": "default"}},
    }


@asynccontextmanager
async def reading_models(url: str) -> AsyncIterator[None]:
    """Let the models of services/board/database/models be read, and not written, within the block."""
    async with TortoiseContext() as context:
        await context.init(config=tortoise_config(url, LISTING))
        yield
