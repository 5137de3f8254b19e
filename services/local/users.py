"""The user that a server runs as. Never root, which PostgreSQL refuses."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

NOBODY = 65534
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1 << 1, 1 << 2


@dataclass(frozen=True)
class User:
    """A normal user of this machine, identified by numbers; it needs no name."""

    uid: int
    gid: int

    def lacks(self, program: Path, directory: Path) -> int:
        """Return the smallest mask of capabilities that this user needs to run a program in a directory.

        Without them, a checkout below a private home directory, such as root's own, is inaccessible.
        """
        if not self.may_enter(program.resolve()):
            return CAP_DAC_OVERRIDE | CAP_DAC_READ_SEARCH
        above = {*program.resolve().parents, *directory.resolve().parents}
        return 0 if all(map(self.may_enter, above)) else CAP_DAC_READ_SEARCH

    def may_enter(self, path: Path) -> bool:
        # The x bit lets a user enter a directory or run a program.
        status = path.stat()
        if status.st_uid == self.uid:
            return bool(status.st_mode & stat.S_IXUSR)
        if status.st_gid == self.gid:
            return bool(status.st_mode & stat.S_IXGRP)
        return bool(status.st_mode & stat.S_IXOTH)


def server_user(*owned: Path) -> User | None:
    """Return None unless run by root; else the owner of the first path that exists and is not root's, or user 65534."""
    if os.geteuid() != 0:
        return None
    for path in owned:
        if path.exists() and path.stat().st_uid != 0:
            return User(path.stat().st_uid, path.stat().st_gid)
    return User(NOBODY, NOBODY)
