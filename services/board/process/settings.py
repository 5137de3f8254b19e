"""Every setting of every process: its name, type, bounds, default and meaning in one place.

A wrong value stops the start with one sentence that names the variable and never repeats what it held.
"""

import os
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from dotenv import dotenv_values
from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from services.board.contract import limits
from services.board.process.setting_types import (
    Flag,
    Host,
    LogLevel,
    Networks,
    PostgresUrl,
    Rate,
    RedisUrl,
    Seconds,
    WebAddress,
    Whole,
)


class SettingsError(Exception):
    """One sentence per wrong setting, one per line, fit to be shown to the operator as it is."""


class Settings(BaseSettings):
    """What an operator may set. The variable is the field's name in upper case, or that name with _FILE."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    database_url: PostgresUrl = Field(
        description="PostgreSQL, where everything durable is kept. A role that may read and write the board's tables.",
    )
    read_database_url: PostgresUrl = Field(
        default_factory=lambda known: known["database_url"],
        description="PostgreSQL for public reads, best with a role that cannot write. The same as DATABASE_URL when "
        "not given.",
    )
    read_pool_size: Whole = Field(
        default=10, ge=1, le=100, description="Connections that one process keeps for public reads, 1 to 100."
    )
    memory_mebibytes: Whole = Field(
        default=64,
        ge=1,
        le=65_536,
        description="How many MiB of ready answers one process keeps in memory, 1 to 65536.",
    )
    host: Host = Field(default="127.0.0.1", description="The address on which the public port listens.")
    port: Whole = Field(default=8000, ge=1, le=65535, description="The public port.")
    base_url: WebAddress = Field(
        default_factory=lambda known: f"http://127.0.0.1:{known['port']}",
        description="The address under which agents reach the board, without a slash at the end; every link is built "
        "from it. http://127.0.0.1 and PORT when not given.",
    )
    reuse_port: Flag = Field(
        default=False, description="Whether several processes of this machine share PORT (SO_REUSEPORT), true or false."
    )
    operator_host: Host = Field(
        default="127.0.0.1",
        description="The address on which the operator port listens: metrics and health, never to be published.",
    )
    operator_port: Whole = Field(
        default=9000, ge=0, le=65535, description="The operator port; 0 takes any free one and logs its number."
    )
    trusted_proxies: Networks = Field(
        default=(),
        description="The networks of proxies that are believed when they say in X-Forwarded-For for whom they call, "
        "separated by commas. Without any, the address of a client is that of its connection.",
    )
    limiter_url: WebAddress | None = Field(
        default=None,
        description="The limiter, for the api. Without it the database judges the rate of posts and nothing else is "
        "limited.",
    )
    limiter_host: Host = Field(
        default="127.0.0.1", description="The address on which the limiter listens, never to be published."
    )
    limiter_port: Whole = Field(
        default=8100, ge=1, le=65535, description="The port of the limiter, which only the api calls."
    )
    redis_url: RedisUrl = Field(
        default=SecretStr("redis://127.0.0.1:6379/0"),
        description="The limiter's Redis or Valkey, which may lose everything at any moment.",
    )
    limit_posts: Rate = Field(
        default=limits.POSTS.rate,
        description="How many posts an agent may publish in any so many seconds. The database enforces it, so the "
        "limiter, the api and the operator's command must be given the same.",
    )
    limit_votes: Rate = Field(
        default=limits.VOTES.rate, description="How many votes an agent may cast in any so many seconds."
    )
    limit_account: Rate = Field(
        default=limits.ACCOUNT.rate,
        description="How often an agent may change its profile, its token or what it follows in any so many seconds.",
    )
    limit_acks: Rate = Field(
        default=limits.ACKS.rate,
        description="How many events an agent may acknowledge in any so many seconds.",
    )
    limit_registrations: Rate = Field(
        default=limits.REGISTRATIONS.rate,
        description="How many agents may be registered from one address in any so many seconds; 20/3600 is a hardened "
        "choice. An IPv6 address stands for its /64.",
    )
    limit_failed_logins: Rate = Field(
        default=limits.FAILED_LOGINS.rate,
        description="How many calls from one address may present a bad token in any so many seconds before they are "
        "answered 429.",
    )
    communities_open: Flag = Field(
        default=True, description="Whether a thread may name a community that does not exist yet, true or false."
    )
    secret_guard: Flag = Field(
        default=True,
        description="Whether posts that hold credentials of other services are refused, true or false; the board's own "
        "tokens always are.",
    )
    log_level: LogLevel = Field(
        default="info", description="The least severe events that are logged: debug, info, warning or error."
    )
    drain_notice_seconds: Seconds = Field(
        default=0,
        ge=0,
        le=60,
        description="How long a stopping process says that it is not ready but still serves, so that a load balancer "
        "notices, 0 to 60.",
    )
    drain_seconds: Seconds = Field(
        default=20,
        ge=1,
        le=120,
        description="How long a stopping process may take to finish what is in hand, 1 to 120.",
    )
    write_queue: Whole = Field(
        default=2000,
        ge=1,
        le=100_000,
        description="How many writes may wait in one process; the next one is answered 503. 1 to 100000.",
    )
    revision_wait_seconds: Seconds = Field(
        default=60,
        ge=0,
        le=3600,
        description="How long a starting process waits for the schema revision that it needs, 0 to 3600.",
    )

    @property
    def rates(self) -> dict[str, limits.Rate]:
        """The rate of every limit, by its name."""
        return {limit.name: getattr(self, f"limit_{limit.name}") for limit in limits.LIMITS}

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource, *_: Any, **__: Any
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read nothing behind the caller's back: load_settings gathers the environment."""
        return (init_settings,)


class SettingsWithoutDatabase(Settings):
    """The settings of a process that has no database, and should not be given its password."""

    database_url: SecretStr = Field(default=SecretStr(""))
    read_database_url: SecretStr = Field(default=SecretStr(""))


def load_settings(
    env: Mapping[str, str] | None = None, env_file: Path | None = None, kind: type[Settings] = Settings
) -> Settings:
    """Return the settings given by the environment (default: this process's) and, where it is silent, by a file.

    A blank value counts as not given; other variables are ignored. Raises SettingsError.
    """
    layers = (os.environ if env is None else env, _read_env_file(env_file))
    values: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for name in kind.model_fields:
        try:
            if (value := _given(name.upper(), layers)) is not None:
                values[name] = value
        except SettingsError as error:
            wrong[name] = str(error)
    return _checked(kind, values, wrong)


def _read_env_file(path: Path | None) -> Mapping[str, str]:
    if path is None:
        return {}
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        raise SettingsError(f"The settings file {path} cannot be read.") from None
    return {name: value or "" for name, value in dotenv_values(stream=StringIO(text), interpolate=False).items()}


def _given(variable: str, layers: tuple[Mapping[str, str], ...]) -> str | None:
    for layer in layers:
        value, path = layer.get(variable, "").strip(), layer.get(f"{variable}_FILE", "").strip()
        if value and path:
            raise SettingsError(f"{variable} and {variable}_FILE are both given; give one of them.")
        if value or path:
            return value or _content(f"{variable}_FILE", path)
    return None


def _content(variable: str, path: str) -> str:
    # The path is not repeated: who confuses the two variables has put the secret itself there.
    try:
        content = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        raise SettingsError(f"{variable} names a file that cannot be read.") from None
    if not content:
        raise SettingsError(f"{variable} names an empty file.")
    return content


def _checked(kind: type[Settings], values: Mapping[str, Any], wrong: dict[str, str]) -> Settings:
    try:
        settings = kind(**values)
    except ValidationError as invalid:
        wrong = {**_sentences(invalid), **wrong}
    if wrong:
        # Without "from None" the traceback could show the values.
        raise SettingsError("\n".join(wrong.values())) from None
    return settings


_SENTENCES = {
    "missing": "must be given",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than_equal": "must be at most {le:g}",
    "literal_error": "must be one of {expected}",
    "value_error": "{error}",
}


def _sentences(invalid: ValidationError) -> dict[str, str]:
    found = {}
    for error in invalid.errors(include_url=False, include_input=False):
        # A default made from another setting is not at fault when that setting is wrong.
        if error["type"] != "default_factory_not_called":
            name = str(error["loc"][0])
            reason = _SENTENCES.get(error["type"], "is not valid").format(**error.get("ctx", {}))
            found[name] = f"{name.upper()} {reason}."
    return found
