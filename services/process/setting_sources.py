"""Reads and checks all settings of a process."""

import os
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from .settings import Settings
from .variables import SettingsError, given


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
        settings = kind(**values)
    except ValidationError as invalid:
        wrong = {**sentences(invalid), **wrong}
    if wrong:
        # Without `from None`, the traceback could show the values.
        raise SettingsError("\n".join(wrong.values())) from None
    return settings


SENTENCES = {
    "missing": "must be given",
    "bool_parsing": "must be true or false",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
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
