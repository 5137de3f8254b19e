"""The record of a release in its archive, which has no `make`: `./board NAME` takes its place there.

A checkout has no such record.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from deploy.compose.configuration import DIRECTORY
from deploy.compose.errors import StackError

ROOT = DIRECTORY.parents[1]
RECORD: Final = "release.json"
VERSION: Final = r"[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}"
COMMANDS: Final = ("secrets", "up", "down", "logs", "scale", "roll", "upgrade", "backup", "backups", "export",
                   "restore", "drill", "drop-ballast", "doctor")  # fmt: skip
SPOKEN: Final = re.compile(rf"\bmake (?=(?:{'|'.join(COMMANDS)})\b)")


@dataclass(frozen=True)
class Release:
    """A release: its version, the one before, its newest migration, its images by setting, and SHA-256 by file.

    `signer` is the public key of its signature, as OpenSSH writes it; blank if it is not signed.
    """

    version: str
    before: str
    migration: str
    images: Mapping[str, str]
    files: Mapping[str, str]
    signer: str


def here() -> Release | None:
    """Return the release whose archive was unpacked here; None in a checkout. Raises StackError."""
    try:
        return parsed((ROOT / RECORD).read_bytes())
    except FileNotFoundError:
        return None


def parsed(record: bytes) -> Release:
    """Return the release of a record. Raises StackError if it is damaged."""
    try:
        return Release(**json.loads(record))
    except (ValueError, TypeError):
        raise StackError(f"{RECORD} is damaged; unpack the archive of the release again.") from None


def in_archive(text: str) -> str:
    """Return a text about commands as the archive of a release has it: `./board up` in the place of `make up`."""
    return SPOKEN.sub("./board ", text)


def spoken(text: str) -> str:
    """Return a text about commands with those that exist here."""
    return in_archive(text) if (ROOT / RECORD).exists() else text
