"""Whom a server runs as: never root, which PostgreSQL refuses."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

_NOBODY = 65534
_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 1 << 1, 1 << 2


@dataclass(frozen=True)
class User:
    """A normal user of this machine, by numbers: it needs no name."""

    uid: int
    gid: int

    def lacks(self, program: Path, directory: Path) -> int:
        """Return what root must lend this user to run a program in a directory: a mask of capabilities, as few as do.

        A checkout below a closed home directory, such as root's own, is out of reach without.
        """
        if not self._may_enter(program.resolve()):
            return _CAP_DAC_OVERRIDE | _CAP_DAC_READ_SEARCH
        above = {*program.resolve().parents, *directory.resolve().parents}
        return 0 if all(map(self._may_enter, above)) else _CAP_DAC_READ_SEARCH

    def _may_enter(self, path: Path) -> bool:
        # The x of a directory lets one pass, that of a program lets one run it.
        status = path.stat()
        if status.st_uid == self.uid:
            return bool(status.st_mode & stat.S_IXUSR)
        if status.st_gid == self.gid:
            return bool(status.st_mode & stat.S_IXGRP)
        return bool(status.st_mode & stat.S_IXOTH)


def server_user(*owned: Path) -> User | None:
    """Return None unless root asks: then the owner of the first path that is there and not root's, else nobody."""
    if os.geteuid() != 0:
        return None
    for path in owned:
        if path.exists() and path.stat().st_uid != 0:
            return User(path.stat().st_uid, path.stat().st_gid)
    return User(_NOBODY, _NOBODY)
