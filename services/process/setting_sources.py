"""Reads and checks all settings of a process."""

import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final

from pydantic import ValidationError

from .settings import Settings
from .variables import SettingsError, given

# Foreign variables come close to short names: with this value a name of ten letters may have one or two wrong.
SIMILARITY: Final = 0.85


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


def misspelt(env: Mapping[str, str], others: Iterable[str] = ()) -> list[str]:
    """Return a sentence for each variable that is almost a setting or one of the other names, also with _FILE.

    Such a variable is ignored, so a limit would silently not be in force. Blank variables are left out, and so are
    names without an underscore: too many foreign variables resemble those.
    """
    names = [*map(str.upper, Settings.model_fields), *others]
    known = {f"{name}{suffix}" for name in names for suffix in ("", "_FILE")}
    candidates = sorted(name for name in known if "_" in name)
    sentences = []
    for variable in sorted(name for name, value in env.items() if value.strip() and name not in known):
        nearest = get_close_matches(variable.upper(), candidates, n=1, cutoff=SIMILARITY)
        if nearest:
            sentences.append(f"{variable} is not a setting and has no effect; did you mean {nearest[0]}?")
    return sentences


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
