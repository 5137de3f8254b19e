"""Options of a run on this machine, read from the environment."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from services.local.errors import LocalError
from services.process.setting_sources import SettingsError, load_settings
from services.process.settings import Settings

MOST_REPLICAS = 64


@dataclass(frozen=True)
class Options:
    """A complete, validated set of options. Without a store's address, an embedded one is started."""

    settings: Settings
    api_replicas: int
    operator_port: int | None
    """That of the first API process; without it, a free one."""
    database_url: str | None
    redis_url: str | None


def read_options(env: Mapping[str, str]) -> Options:
    """Return the options in the environment. Raises LocalError with one sentence per invalid option."""
    given = given_setting("DATABASE_URL", env)
    try:
        # The address of the embedded server is not known yet.
        settings = load_settings(env if given else {**env, "DATABASE_URL": "postgresql://127.0.0.1"})
    except SettingsError as error:
        raise LocalError(str(error)) from None
    return Options(
        settings=settings,
        api_replicas=replicas("API_REPLICAS", env),
        operator_port=settings.operator_port if given_setting("OPERATOR_PORT", env) else None,
        database_url=settings.database_url.get_secret_value() if given else None,
        redis_url=settings.redis_url.get_secret_value() if given_setting("REDIS_URL", env) else None,
    )


def given_setting(variable: str, env: Mapping[str, str]) -> bool:
    return not env.keys().isdisjoint({variable, f"{variable}_FILE"})


def replicas(variable: str, env: Mapping[str, str]) -> int:
    value = env.get(variable, "1").strip()
    if not re.fullmatch(r"[0-9]{1,3}", value) or not 1 <= int(value) <= MOST_REPLICAS:
        raise LocalError(f"{variable} must be a whole number from 1 to {MOST_REPLICAS}.")
    return int(value)
