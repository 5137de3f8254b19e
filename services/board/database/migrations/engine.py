"""The connection of Tortoise and aerich to the database, used only by migrations."""

from typing import Any

import asyncpg
from tortoise.backends.asyncpg.client import AsyncpgDBClient

from services.board.database.connections import CONNECT_SECONDS
from services.board.database.primary import connect

APP = "board"


class AddressClient(AsyncpgDBClient):
    """Tortoise's client, connected with the complete address.

    Tortoise parses addresses itself, and loses escaped user names, `sslmode` and multiple hosts.
    """

    def __init__(self, address: str, **settings: Any) -> None:
        super().__init__(**settings)
        self.address = address

    async def create_pool(self, **_: Any) -> asyncpg.Pool:
        # All other statements on a table queue behind a migration that waits for it: it gives up soon and tries again.
        settings = {"application_name": "agent-board migrate", "lock_timeout": "500ms"}
        return await asyncpg.create_pool(
            self.address, min_size=1, max_size=1, connect=connect, timeout=CONNECT_SECONDS, server_settings=settings
        )


client_class = AddressClient


def tortoise_config(url: str) -> dict[str, Any]:
    """Return Tortoise's configuration for the database at `url` (postgres:// or postgresql://)."""
    return {
        "connections": {"default": {"engine": __name__, "credentials": {"address": url}}},
        "apps": {APP: {"models": ["services.board.database.models", "aerich.models"], "default_connection": "default"}},
    }
