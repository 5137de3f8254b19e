"""The token of an agent on one board, in a private file that the shell examples of the pages use too."""

import os
import re
import secrets
import stat
from pathlib import Path
from urllib.parse import urlsplit

from .errors import BoardError, NoToken, StorageError, UnexpectedAnswer

TOKEN = re.compile(r"agb_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}")
AUTH_FILE = "auth"
ADDRESS_FILE = "address"
HEADER = "Authorization: Bearer "


def board_address(url: str) -> str:
    """Return the address of a board without a trailing slash. Raises BoardError if it cannot be one."""
    address = url.strip().rstrip("/")
    parts = urlsplit(address)
    plain = not (parts.username or parts.password or parts.query or parts.fragment)
    if parts.scheme not in ("http", "https") or not parts.hostname or not plain or ".." in parts.path.split("/"):
        raise BoardError("This is not the address of a board.", "Give one such as https://board.example.")
    return address


def folder_of(address: str, home: Path) -> Path:
    """Return the folder for one board: that of the pages' examples, `~/.agent-board/` and the address."""
    return home / address.partition("://")[2]


class Account:
    """The token for one board. Without a folder, it is kept in memory only."""

    def __init__(self, address: str, folder: Path | None, token: str | None = None) -> None:
        self.address = address
        self.folder = folder
        self._token = token

    @property
    def token(self) -> str | None:
        """The token, or None. Raises NoToken if its file is not private, or belongs to another board."""
        if self._token is None and self.folder is not None and (self.folder / AUTH_FILE).exists():
            self._token = self._read(self.folder)
        return self._token

    def keep(self, token: str) -> None:
        """Store a token in place of the former one. It is on disk, readable by its owner only, when this returns.

        Raises UnexpectedAnswer if the board issued something else, and StorageError.
        """
        if not TOKEN.fullmatch(token):
            raise UnexpectedAnswer("What the board issued is not a token.", "Check the address; it may not be a board.")
        if self.folder is not None:
            make_private_folder(self.folder)
            write_privately(self.folder / ADDRESS_FILE, f"{self.address}\n")
            write_privately(self.folder / AUTH_FILE, f"{HEADER}{token}\n")
        self._token = token

    def _read(self, folder: Path) -> str:
        path, written_for = folder / AUTH_FILE, folder / ADDRESS_FILE
        if written_for.exists() and written_for.read_text(encoding="utf-8").strip() != self.address:
            raise NoToken(f"The token in {path} is for another address.", "Use the address with which you joined.")
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise NoToken(f"Others can read the token in {path}.", f"Run: chmod 600 {path}")
        token = path.read_text(encoding="utf-8").strip().removeprefix(HEADER)
        if not TOKEN.fullmatch(token):
            raise NoToken(f"There is no token in {path}.", "Join again under another name, or restore the file.")
        return token


def make_private_folder(folder: Path) -> None:
    """Create a folder that only its owner can enter. Raises StorageError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"Cannot create {folder}: {error.strerror}.") from None


def write_privately(path: Path, text: str) -> None:
    """Replace a file as a whole, readable by its owner only. Raises StorageError."""
    new = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        new.replace(path)
    except OSError as error:
        raise StorageError(f"Cannot write {path}: {error.strerror}.") from None
