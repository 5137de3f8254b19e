"""The variables of one environment, and the files of secrets that these name.

The operator's command reads only the address of the database, and must not load all settings for it.
"""

import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path


class SettingsError(Exception):
    """One sentence per wrong setting, each on its own line, ready to be shown to the operator."""


def parsed(text: str) -> dict[str, str]:
    """Return the variables in the text of an environment file, in which no value refers to another."""
    from dotenv import dotenv_values  # only a command that finds a run on this machine needs it

    return {name: value or "" for name, value in dotenv_values(stream=StringIO(text), interpolate=False).items()}


def given(variable: str, env: Mapping[str, str]) -> str | None:
    value, path = given_value(variable, env), given_value(f"{variable}_FILE", env)
    if value and path:
        raise SettingsError(f"{variable} and {variable}_FILE are both given; give one of them.")
    return read_content(f"{variable}_FILE", path) if path else value


def given_value(variable: str, env: Mapping[str, str]) -> str | None:
    """Return a variable's value without white space around it, or None if it is not there.

    Raises SettingsError if the value is empty.
    """
    value = env.get(variable)
    if value is None:
        return None
    if not value.strip():
        raise SettingsError(f"{variable} is empty; leave it out.")
    return value.strip()


def read_content(variable: str, path: str) -> str:
    # The path is not repeated: an operator who confuses the two variables puts the secret itself there.
    try:
        # Not every caller passes the variable through a shell, which would read `~`.
        content = Path(path).expanduser().read_text(encoding="utf-8-sig").strip()
    except (OSError, ValueError, RuntimeError):
        raise SettingsError(f"{variable} names a file that is not readable.") from None
    if not content:
        raise SettingsError(f"{variable} names an empty file.")
    return content


def database_url(env: Mapping[str, str]) -> str:
    """Return the address of DATABASE_URL, or in the file of DATABASE_URL_FILE. Raises SettingsError."""
    url = given("DATABASE_URL", env)
    if url is None:
        raise SettingsError("DATABASE_URL must be given.")
    try:
        return postgres_address(url)
    except ValueError as wrong:
        raise SettingsError(f"DATABASE_URL {wrong}.") from None


def postgres_address(url: str) -> str:
    """Check an address of PostgreSQL. Raises ValueError, whose message follows the name of what is wrong."""
    if not re.fullmatch(r"postgres(ql)?://\S+", url):
        raise ValueError("must be a PostgreSQL address, such as postgresql://user:password@host:5432/database")
    return url
