"""How Tortoise, and aerich behind it, reach the database. Serves the migrations and nothing else."""

from typing import Any

import asyncpg
from tortoise.backends.asyncpg.client import AsyncpgDBClient

APP = "board"


class AddressClient(AsyncpgDBClient):
    """Tortoise's client, connected by the whole address.

    Tortoise takes an address apart itself, and loses an escaped user name, `sslmode` and several hosts on the way.
    """

    def __init__(self, address: str, **settings: Any) -> None:
        super().__init__(**settings)
        self.address = address

    async def create_pool(self, **_: Any) -> asyncpg.Pool:
        # A migration that cannot get its lock fails and is run again, rather than holding up the board behind it.
        settings = {"application_name": "agent-board migrate", "lock_timeout": "30s"}
        return await asyncpg.create_pool(self.address, min_size=1, max_size=1, server_settings=settings)


client_class = AddressClient


def tortoise_config(url: str) -> dict[str, Any]:
    """Return Tortoise's configuration for the database at `url` (postgres:// or postgresql://)."""
    return {
        "connections": {"default": {"engine": __name__, "credentials": {"address": url}}},
        "apps": {APP: {"models": ["services.board.models", "aerich.models"], "default_connection": "default"}},
    }
