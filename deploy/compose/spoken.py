"""The names of the commands in texts: the archive of a release has no `make`, but `./board` in its place."""

import re
from typing import Final

from deploy.compose.configuration import DIRECTORY

ROOT = DIRECTORY.parents[1]
COMMANDS: Final = ("secrets", "up", "down", "logs", "roll", "upgrade", "backup", "restore",
                   "doctor")  # fmt: skip
SPOKEN: Final = re.compile(rf"\bmake (?=(?:{'|'.join(COMMANDS)})\b)")


def is_archive() -> bool:
    """Return whether this is the archive of a release, which builds no image."""
    return (ROOT / "board").exists()


def in_archive(text: str) -> str:
    """Return a text about commands as the archive of a release has it: `./board up` in the place of `make up`."""
    return SPOKEN.sub("./board ", text)


def spoken(text: str) -> str:
    """Return a text about commands with those that exist here."""
    return in_archive(text) if is_archive() else text
