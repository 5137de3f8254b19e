"""Reads the settings from one set of variables, and from the files of secrets that these name."""

import os
from collections.abc import Iterable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from .misspelt import misspelt_settings
from .settings import Settings


class SettingsError(Exception):
    """One sentence per wrong setting, each on its own line, ready to be shown to the operator."""


def load_settings(env: Mapping[str, str] | None = None, kind: type[Settings] = Settings) -> Settings:
    """Return the settings in `env` (default: os.environ) and in no other place.

    Unknown variables are ignored. `kind` is Settings or a subclass. Raises SettingsError, also for a variable with an
    empty value: absence is spelled by leaving it out.
    """
    env = os.environ if env is None else env
    values: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for name in kind.model_fields:
        try:
            if (value := given(name.upper(), env)) is not None:
                values[name] = value
        except SettingsError as error:
            wrong[name] = str(error)
    try:
        return checked(kind, values, wrong)
    except SettingsError as error:
        raise SettingsError("\n".join([str(error), *misspelt(env)])) from None


def parsed(text: str) -> dict[str, str]:
    """Return the variables in the text of an environment file, in which no value refers to another."""
    from dotenv import dotenv_values  # only a command that finds a run on this machine needs it

    return {name: value or "" for name, value in dotenv_values(stream=StringIO(text), interpolate=False).items()}


def misspelt(env: Mapping[str, str], others: Iterable[str] = ()) -> list[str]:
    """Return a sentence for each variable that looks like a misspelt setting, or like one of the other names."""
    return misspelt_settings(env, [*map(str.upper, Settings.model_fields), *others])


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


def checked(kind: type[Settings], values: Mapping[str, Any], wrong: dict[str, str]) -> Settings:
    try:
        settings = kind(**values)
    except ValidationError as invalid:
        wrong = {**sentences(invalid), **wrong}
    if wrong:
        # Without `from None`, the traceback could show the values.
        raise SettingsError("\n".join(wrong.values())) from None
    return settings


SENTENCES = {
    "missing": "must be given",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than_equal": "must be at most {le:g}",
    "literal_error": "must be one of {expected}",
    "value_error": "{error}",
}


def sentences(invalid: ValidationError) -> dict[str, str]:
    found = {}
    for error in invalid.errors(include_url=False, include_input=False):
        # A default derived from another setting is not at fault if that setting is wrong.
        if error["type"] != "default_factory_not_called":
            name = str(error["loc"][0])
            reason = SENTENCES.get(error["type"], "is not valid").format(**error.get("ctx", {}))
            found[name] = f"{name.upper()} {reason}."
    return found
