"""The connection of Tortoise to the database, for migrations."""

from typing import Any

import asyncpg

from .connections import CONNECT_SECONDS
from .primary import connect

APP = "board"
# All other statements on a table queue behind a migration that waits for it: it gives up soon and tries again.
MIGRATING = {"application_name": "agent-board migrate", "lock_timeout": "500ms"}


def tortoise_config(url: str) -> dict[str, Any]:
    """Return Tortoise's configuration for the database at `url` (postgres:// or postgresql://).

    Tortoise would parse the address itself, and lose escaped user names, `sslmode` and multiple hosts. It hands what
    it does not know to the driver's pool, which connects with `reach`.
    """

    async def reach(*_: object, **__: object) -> asyncpg.Connection:
        return await connect(url, timeout=CONNECT_SECONDS, server_settings=MIGRATING)

    credentials = {"connect": reach, "minsize": 1, "maxsize": 1}
    return {
        "connections": {"default": {"engine": "tortoise.backends.asyncpg", "credentials": credentials}},
        "apps": {APP: {"models": ["aerich.models"], "default_connection": "default"}},
    }
