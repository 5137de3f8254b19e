"""Finds the board that `agent-board run` runs on this machine, by the files of its folder (services/local/state.py).

The folders above the working directory may belong to anyone, so only files of this user count.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from services.local.state import ADDRESSES, LOCK, is_in_use, searched_folders

WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class NotUsed(Exception):
    """A settings file was found that must not be used; the sentence gives the reason."""


def find_run(folder: Path, env: Mapping[str, str]) -> tuple[Path, str] | None:
    """Return the folder of a run and its settings as NAME=VALUE lines, or None if no board runs.

    The first of searched_folders() with a run counts. Raises NotUsed if the settings file is not this user's own, or is
    left from a run that was killed.
    """
    for state in searched_folders(folder, env):
        if (text := read_own(state / ADDRESSES)) is not None:
            if is_left_behind(state):
                raise NotUsed(f"The run that wrote {state / ADDRESSES} was killed.")
            return state, text
    return None


def read_own(path: Path) -> str | None:
    """Return the text of a file that belongs to this user, or None if there is no file. Raises NotUsed."""
    try:
        # A link could name a file of this user that describes another board.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise NotUsed(f"{path} cannot be read as a file of your own ({error.strerror}).") from None
    with os.fdopen(descriptor, encoding="utf-8-sig") as file:
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid() or status.st_mode & WRITABLE_BY_OTHERS:
            raise NotUsed(f"{path} belongs to another user, or others can write to it.")
        try:
            return file.read()
        except (OSError, ValueError):
            raise NotUsed(f"{path} is not a settings file.") from None


def is_left_behind(state: Path) -> bool:
    """Return whether the lock of a run exists and no run holds it."""
    try:
        return not is_in_use(state / LOCK)
    except OSError:
        return False
