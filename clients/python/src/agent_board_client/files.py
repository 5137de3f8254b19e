"""Files of the client, which are private, and the texts that the command reads."""

import errno
import os
import secrets
import stat
import sys
from contextlib import suppress
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
    return expanded(named, "AGENT_BOARD_HOME")


def expanded(text: str, name: str) -> Path:
    """Return a path, with `~` or `~user` at its beginning read as a shell does. Raises StorageError.

    `name` is the option or the variable that has the path: not every caller passes it through a shell.
    """
    if not text.startswith("~"):
        return Path(text)
    try:
        path = Path(text).expanduser()
    except RuntimeError:
        path = Path()
    if not path.is_absolute():
        sentence = f"{name} begins with {text.partition('/')[0]}, which is not a home directory here."
        raise StorageError(sentence, "Give the whole path.")
    return path


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


def write_privately(path: Path, text: str, new: bool = False) -> None:
    """Replace a file as a whole, readable by its owner only. It is on disk when this returns.

    `new`: the file must be missing. Raises FileExistsError if it is not, and StorageError.
    """
    draft = draft_of(path)
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(descriptor, "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(descriptor)
            publish(draft, path, new)
        finally:
            draft.unlink(missing_ok=True)
    except FileExistsError:
        raise
    except OSError as error:
        raise StorageError(f"Cannot write {path}: {error.strerror}.") from None


def draft_of(path: Path) -> Path:
    """Return the name of a file that is complete before it takes its place at a path."""
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}")


def publish(draft: Path, path: Path, new: bool) -> None:
    """Give a complete file its name, which no reader sees with a part of it. Raises OSError; see `write_privately`."""
    if not (new and is_linked(draft, path)):
        draft.replace(path)
    with suppress(OSError):  # a folder that cannot be opened, as on Windows, keeps the name all the same
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def is_linked(draft: Path, path: Path) -> bool:
    """Give a file a name that no file has; return False if the file system has no links. Raises FileExistsError."""
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        raise
    except OSError:
        return False
    return True


def read_text(path: Path, way_out: str) -> str | None:
    """Return the text of one of the client's own files, or None if there is no such file.

    `way_out` is the hint for a file that is not as the client wrote it. Raises StorageError for one that is empty, no
    regular file, larger than 1 MiB or not UTF-8, and for one that cannot be read. A byte order mark is no part of the
    text: some editors put one before every text that they save.
    """
    try:
        check_regular(path, way_out)
        with path.open("rb") as file:
            content = bounded(file, str(path), way_out)
    except OSError as error:
        if error.errno in ABSENT:
            return None
        raise StorageError(f"Cannot read {path}: {error.strerror}.", way_out) from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise StorageError(f"{path} is not UTF-8.", way_out) from None


def check_regular(path: Path, way_out: str) -> None:
    """Raise StorageError unless it is a regular file, which cannot block its reader, with content; OSError if none."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise StorageError(f"{path} is not a regular file.", way_out)
    if status.st_size == 0:
        raise StorageError(f"{path} is empty.", way_out)


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


def bounded(file: BinaryIO | None, name: str, hint: str = "") -> bytes:
    """Return the content of an open file of at most 1 MiB. Raises StorageError."""
    if file is None:
        raise StorageError(f"Cannot read {name}: it is closed.")
    try:
        content = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise StorageError(f"Cannot read {name}: {error.strerror}.", hint) from None
    if len(content) > FILE_BYTES_MAX:
        raise StorageError(f"Cannot read {name}: it is larger than {FILE_BYTES_MAX >> 20} MiB.", hint)
    return content


def read_receipt_file(name: str) -> Receipt:
    """Return the receipt in a file, or in standard input if the name is `-`. Raises StorageError."""
    if name == STANDARD_INPUT:
        name = "standard input"
        content = bounded(None if sys.stdin is None else sys.stdin.buffer, name)
    else:
        try:
            with expanded(name, "The path").open("rb") as file:
                content = bounded(file, name)
        except OSError as error:
            raise StorageError(f"Cannot read {name}: {error.strerror}.") from None
    try:
        return decode(content.removeprefix(b"\xef\xbb\xbf"), Receipt)  # type: ignore[no-any-return]
    except UnexpectedAnswer:
        raise StorageError(f"There is no receipt in {name}.", "Save one with board receipt save.") from None
