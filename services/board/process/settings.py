"""Every setting of every process: its name, type, bounds, default and meaning in one place.

A wrong value stops the start with one sentence that names the variable and never repeats what it held.
"""

import os
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from dotenv import dotenv_values
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from services.board.process.setting_types import Flag, Host, LogLevel, PostgresUrl, Seconds, WebAddress, Whole


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

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource, *_: Any, **__: Any
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read nothing behind the caller's back: load_settings gathers the environment."""
        return (init_settings,)


def load_settings(env: Mapping[str, str] | None = None, env_file: Path | None = None) -> Settings:
    """Return the settings given by the environment (default: this process's) and, where it is silent, by a file.

    A blank value counts as not given; other variables are ignored. Raises SettingsError.
    """
    layers = (os.environ if env is None else env, _read_env_file(env_file))
    values: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for name in Settings.model_fields:
        try:
            if (value := _given(name.upper(), layers)) is not None:
                values[name] = value
        except SettingsError as error:
            wrong[name] = str(error)
    return _checked(values, wrong)


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


def _checked(values: Mapping[str, Any], wrong: dict[str, str]) -> Settings:
    try:
        settings = Settings(**values)
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
