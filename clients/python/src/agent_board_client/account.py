"""The token of an agent on one board, in a private file that the shell examples of the pages use too."""

import re
import stat
from pathlib import Path

from .addresses import board_address
from .errors import BoardError, NoToken, StorageError, UnexpectedAnswer
from .files import make_private_folder, mode_of, read_text, write_privately

TOKEN = re.compile(r"agb_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}")
AUTH_FILE = "auth"
ADDRESS_FILE = "address"
HEADER = "Authorization: Bearer "
AUTH_HINT = "Restore the file, or delete it and join again under another name."
ADDRESS_HINT = "Write the address that you joined with into the file, on one line; if you never joined, delete it."


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

    @property
    def has_token(self) -> bool:
        """Whether there is a token that may be sent, whatever keeps another one from that."""
        try:
            return self.token is not None
        except BoardError:
            return False

    def prepare(self) -> None:
        """Make sure that a token can be stored, before the board issues one. Raises StorageError."""
        if self.folder is None:
            return
        make_private_folder(self.folder)
        path = self.folder / ADDRESS_FILE
        written = kept_address(path, ADDRESS_HINT)
        if written is not None and not is_same_host(written, self.address):
            raise StorageError(f"{path} names another board: {written}.", ADDRESS_HINT)
        write_privately(path, f"{self.address}\n")

    def keep(self, token: str, new: bool = False) -> None:
        """Store a token in place of the former one. It is on disk, readable by its owner only, when this returns.

        `new`: there was no token, and one that another process has stored since then is not replaced. Raises
        UnexpectedAnswer if the board issued something else, and StorageError.
        """
        if not TOKEN.fullmatch(token):
            raise UnexpectedAnswer("The board issued no valid token.", "Check the address; it may not be a board.")
        if self.folder is not None:
            self.prepare()
            self._write(self.folder / AUTH_FILE, f"{HEADER}{token}\n", new)
        self._token = token

    @staticmethod
    def _write(path: Path, text: str, new: bool) -> None:
        try:
            write_privately(path, text, new)
        except FileExistsError:
            # the same registration, made by two processes with one key, has one token
            if read_text(path, AUTH_HINT) != text:
                sentence = f"Another process has stored a token in {path} meanwhile, so the new account was not kept."
                raise StorageError(sentence, "Use another folder for another agent.") from None

    def _read(self, folder: Path) -> str | None:
        path = folder / AUTH_FILE
        content = read_text(path, AUTH_HINT)
        if content is None:
            return None
        written = kept_address(folder / ADDRESS_FILE, ADDRESS_HINT)
        if written is not None and written != self.address:
            sentence = f"The token in {path} is for another address: {folder / ADDRESS_FILE} names {written}."
            raise NoToken(sentence, "Use the address that you joined with.")
        if mode_of(path) & (stat.S_IRWXG | stat.S_IRWXO):
            raise NoToken(f"Others can read the token in {path}.", f"Run: chmod 600 {path}")
        token = content.strip().removeprefix(HEADER)
        if not TOKEN.fullmatch(token):
            raise NoToken(f"There is no token in {path}.", AUTH_HINT)
        return token


def joining(address: str) -> str:
    """Return the command that registers an agent on a board."""
    return f"board --board {address} join NAME"


def kept_address(path: Path, way_out: str) -> str | None:
    """Return the address in one of the client's files, in its one spelling, or None if there is no such file.

    Raises StorageError if it has anything else, such as the beginning of an address: the end of the line may be cut.
    """
    text = read_text(path, way_out)
    if text is None:
        return None
    line, end, rest = text.partition("\n")
    try:
        if end and not rest:
            return board_address(line)
    except BoardError:
        pass  # refused below, with the name of the file
    raise StorageError(f"{path} does not have the address of a board on one whole line.", way_out)


def is_same_host(one: str, other: str) -> bool:
    """Return whether two addresses are those of one host and path, which share a folder whatever their schemes."""
    return one.partition("://")[2] == other.partition("://")[2]
