"""The files of Compose that COMPOSE_FILE names: refused before anything is written if Compose could not read them."""

import difflib
from typing import Final

from deploy.compose.configuration import DIRECTORY, Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

BASE: Final = "compose.yaml"
ONE: Final = "compose.one.yaml"
"""The board in one container, which belongs to no stack."""


def check(configuration: Configuration) -> None:
    """Raise StackError if COMPOSE_FILE names a file that is not there, or not compose.yaml first."""
    names = configuration["COMPOSE_FILE"].split(":")
    for name in names:
        path = DIRECTORY / name
        if path == DIRECTORY / ONE:
            raise StackError(f"COMPOSE_FILE names {ONE}, which is a board of its own; remove it.")
        if not name or not path.is_file():
            raise StackError(unknown(configuration, name))
    if DIRECTORY / names[0] != DIRECTORY / BASE:
        raise StackError(f"COMPOSE_FILE must begin with {BASE}, as in COMPOSE_FILE={BASE}:mcp.yaml.")


def check_profiles(stack: Stack) -> None:
    """Raise StackError if COMPOSE_PROFILES names a profile that no service has."""
    there = stack.ask("config", "--profiles").split()
    for name in filter(None, stack.configuration["COMPOSE_PROFILES"].split(",")):
        if name not in there:
            raise StackError(f"COMPOSE_PROFILES names {name}, which is no profile; there are {', '.join(there)}.")


def unknown(configuration: Configuration, name: str) -> str:
    """Return a sentence about a name that is no file, with the files that there are."""
    there = sorted({path.name for path in DIRECTORY.glob("*.yaml")} - {ONE})
    nearest = difflib.get_close_matches(name, there, n=1)
    hint = f"did you mean {nearest[0]}?" if nearest else f"there are {', '.join(there)}."
    what = f"{name}, and there is no such file in {DIRECTORY}" if name else "an empty name"
    return f"COMPOSE_FILE in {configuration.file} names {what}. Colons separate the names; {hint}"
