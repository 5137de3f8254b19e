"""Finds the board that `agent-board run` runs on this machine, by the files of its folder (services/local/state.py).

The folders above the working directory may belong to anyone, so only files of this user count.
"""

import fcntl
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from services.local.state import ADDRESSES, LOCK, VARIABLE, state_folder

CHECKOUT_STATE = ".local"
"""The folder of `make run` in its checkout."""
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class NotUsed(Exception):
    """A settings file was found that must not be used; the sentence gives the reason."""


def find(folder: Path, env: Mapping[str, str]) -> tuple[Path, str] | None:
    """Return the folder of a run and its settings as NAME=VALUE lines, or None if no board runs.

    AGENT_BOARD_STATE names the folder. Without it, the run is that of the nearest checkout around `folder`, or else the
    one in the user's folder for state. Raises NotUsed if the settings file is not this user's own, or is left from a
    run that was killed.
    """
    checkouts = () if VARIABLE in env else (each / CHECKOUT_STATE for each in (folder, *folder.parents))
    for state in (*checkouts, state_folder(env)):
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
        descriptor = os.open(state / LOCK, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True
