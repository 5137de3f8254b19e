"""The record of a release in its archive, which has no `make`: `./board NAME` takes its place there.

A checkout has no such record.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from deploy.compose.configuration import DIRECTORY
from deploy.compose.errors import StackError

ROOT = DIRECTORY.parents[1]
RECORD: Final = "release.json"
VERSION: Final = r"[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}"
COMMANDS: Final = ("secrets", "up", "down", "logs", "scale", "roll", "upgrade", "backup", "backups", "export",
                   "restore", "drill", "drop-ballast", "doctor")  # fmt: skip
BUILT: Final = {"api": "BOARD_IMAGE", "postgresql": "DATABASE_IMAGE"}
"""The settings that name a release's own images, by a service that runs them."""
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
    with suppress(ValueError, TypeError, RecursionError):
        release = Release(**json.loads(record))
        if is_whole(release):
            return release
    raise StackError(f"{RECORD} is damaged; unpack the archive of the release again.")


def is_whole(release: Release) -> bool:
    """Return whether each part of a record has its form."""
    texts = (release.version, release.before, release.migration, release.signer)
    tables = (release.images, release.files)
    return (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(table, dict) and all(isinstance(text, str) for text in table.values()) for table in tables)
        and re.fullmatch(VERSION, release.version) is not None
        and re.fullmatch(f"({VERSION})?", release.before) is not None
        and re.fullmatch(r"[0-9]{1,9}_.+", release.migration) is not None
        and release.images.keys() >= {*BUILT.values()}
    )


def in_archive(text: str) -> str:
    """Return a text about commands as the archive of a release has it: `./board up` in the place of `make up`."""
    return SPOKEN.sub("./board ", text)


def spoken(text: str) -> str:
    """Return a text about commands with those that exist here."""
    return in_archive(text) if (ROOT / RECORD).exists() else text
