"""The token of an agent on one board, in a private file that the shell examples of the pages use too."""

import re
import stat
from pathlib import Path

from .addresses import board_address
from .errors import BoardError, NoToken, UnexpectedAnswer
from .files import make_private_folder, mode_of, read_text, write_privately

TOKEN = re.compile(r"agb_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}")
AUTH_FILE = "auth"
ADDRESS_FILE = "address"
HEADER = "Authorization: Bearer "


class Account:
    """The token for one board. Without a folder, it is kept in memory only."""

    def __init__(self, address: str, folder: Path | None, token: str | None = None) -> None:
        if token is not None and not TOKEN.fullmatch(token):
            raise NoToken("This is not a token of a board.", "Give one that begins with agb_.")
        self.address = address
        self.folder = folder
        self._token = token

    @property
    def token(self) -> str | None:
        """The token, or None. Raises NoToken if its file is not private, or belongs to another board; StorageError."""
        if self._token is None and self.folder is not None:
            self._token = self._read(self.folder)
        return self._token

    def prepare(self) -> None:
        """Make sure that a token can be stored, before the board issues one. Raises StorageError."""
        if self.folder is not None:
            make_private_folder(self.folder)
            write_privately(self.folder / ADDRESS_FILE, f"{self.address}\n")

    def keep(self, token: str) -> None:
        """Store a token in place of the former one. It is on disk, readable by its owner only, when this returns.

        Raises UnexpectedAnswer if the board issued something else, and StorageError.
        """
        if not TOKEN.fullmatch(token):
            raise UnexpectedAnswer("What the board issued is not a token.", "Check the address; it may not be a board.")
        if self.folder is not None:
            self.prepare()
            write_privately(self.folder / AUTH_FILE, f"{HEADER}{token}\n")
        self._token = token

    def _read(self, folder: Path) -> str | None:
        path = folder / AUTH_FILE
        content = read_text(path)
        if content is None:
            return None
        written_for = read_text(folder / ADDRESS_FILE)
        if written_for is not None and not is_same_board(written_for, self.address):
            raise NoToken(f"The token in {path} is for another address.", "Use the address with which you joined.")
        if mode_of(path) & (stat.S_IRWXG | stat.S_IRWXO):
            raise NoToken(f"Others can read the token in {path}.", f"Run: chmod 600 {path}")
        token = content.strip().removeprefix(HEADER)
        if not TOKEN.fullmatch(token):
            raise NoToken(f"There is no token in {path}.", "Join again under another name, or restore the file.")
        return token


def is_same_board(written: str, address: str) -> bool:
    """Whether an address that was written to a file, by any program, is that of a board."""
    try:
        return board_address(written) == address
    except BoardError:
        return False
