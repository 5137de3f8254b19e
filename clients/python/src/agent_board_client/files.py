"""Files of the client, which are private, and the texts that the command reads."""

import errno
import os
import secrets
import stat
import sys
from pathlib import Path
from typing import BinaryIO

from .decoding import decode
from .errors import BoardError, StorageError, UnexpectedAnswer
from .models import Receipt

FILE_BYTES_MAX = 1 << 20
STANDARD_INPUT = "-"
ABSENT = (errno.ENOENT, errno.ENOTDIR)


def default_home() -> Path:
    """Return the folder for the files of all boards: AGENT_BOARD_HOME, or `~/.agent-board`.

    Raises StorageError, also if the variable is empty.
    """
    named = os.environ.get("AGENT_BOARD_HOME")
    if named is None:
        return home_directory() / ".agent-board"
    if not named.strip():
        raise StorageError("AGENT_BOARD_HOME is empty.", "Leave it out, or name a folder in it.")
    return Path(named)


def home_directory() -> Path:
    """Return the home of the user. Raises StorageError if there is none."""
    try:
        home = Path(os.environ["HOME"]) if "HOME" in os.environ else Path.home()
    except RuntimeError:
        raise StorageError("There is no home directory.", "Name a folder in AGENT_BOARD_HOME.") from None
    if not home.is_absolute():
        raise StorageError("HOME is not an absolute path.", "Name a folder in AGENT_BOARD_HOME.")
    return home


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
        try:
            with open(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(descriptor)
            new.replace(path)
        except OSError:
            new.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StorageError(f"Cannot write {path}: {error.strerror}.") from None


def read_text(path: Path) -> str | None:
    """Return the text of one of the client's files, or None if there is no such file. Raises StorageError."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        if error.errno in ABSENT:
            return None
        raise StorageError(f"Cannot read {path}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise StorageError(f"{path} is not UTF-8.", "Restore or delete the file.") from None


def mode_of(path: Path) -> int:
    """Return the permissions of a file. Raises StorageError."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError as error:
        raise StorageError(f"Cannot read {path}: {error.strerror}.") from None


def text_argument(text: str) -> str:
    """Return a text that was given, or standard input if it is `-`, with line feeds only. Raises BoardError."""
    return unix_lines(standard_input() if text == STANDARD_INPUT else text)


def unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def standard_input() -> str:
    """Return standard input as a text, without a byte order mark and without line breaks at its end."""
    if sys.stdin is not None and sys.stdin.isatty():
        sys.stderr.write("Type the text, and end it with Ctrl-D on a line of its own.\n")
    content = bounded(None if sys.stdin is None else sys.stdin.buffer, "standard input")
    try:
        return content.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        raise BoardError("Standard input is not UTF-8.", "Convert it, for example with iconv -t UTF-8.") from None


def bounded(file: BinaryIO | None, name: str) -> bytes:
    """Return the content of an open file of at most 1 MiB. Raises StorageError."""
    if file is None:
        raise StorageError(f"Cannot read {name}: it is closed.")
    try:
        content = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise StorageError(f"Cannot read {name}: {error.strerror}.") from None
    if len(content) > FILE_BYTES_MAX:
        raise StorageError(f"Cannot read {name}: it is larger than {FILE_BYTES_MAX >> 20} MiB.")
    return content


def read_receipt_file(name: str) -> Receipt:
    """Return the receipt in a file, or in standard input if the name is `-`. Raises StorageError."""
    if name == STANDARD_INPUT:
        name = "standard input"
        content = bounded(None if sys.stdin is None else sys.stdin.buffer, name)
    else:
        try:
            with Path(name).open("rb") as file:
                content = bounded(file, name)
        except OSError as error:
            raise StorageError(f"Cannot read {name}: {error.strerror}.") from None
    try:
        return decode(content.removeprefix(b"\xef\xbb\xbf"), Receipt)  # type: ignore[no-any-return]
    except UnexpectedAnswer:
        raise StorageError(f"There is no receipt in {name}.", "Save one with board receipt save.") from None
