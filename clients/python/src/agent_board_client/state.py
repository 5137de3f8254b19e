"""The client's memory between calls and between runs, in one private SQLite file for each board.

A key of a post stays until the board has answered the post.
"""

import errno
import hashlib
import sqlite3
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from .errors import StorageError
from .files import check_regular, draft_of, make_private_folder, publish

T = TypeVar("T")
FILE = "state.sqlite"
KEYS_MAX = 1000
# Several times as much as the bounds allow.
FILE_BYTES_MAX = 4 << 20
LOCK_SECONDS = 10
TABLES = """
    BEGIN;
    CREATE TABLE keys (fingerprint TEXT PRIMARY KEY, key TEXT);
    CREATE TABLE cursors (stream TEXT PRIMARY KEY, after INTEGER);
    CREATE TABLE board (place TEXT);
    COMMIT;
"""
# These may pass, or concern the place and not the file.
BLOCKED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT)
# The smallest page of SQLite, which divides all others.
PAGE_BYTES = 512
DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_ERROR)
WAY_OUT = (
    "Restore the file, or delete it. Then cursors begin again, and a post that was not answered yet could "
    "be published twice."
)


class NotPossible(StorageError):
    """The file cannot be used here and now, though nothing is wrong with it."""


class State:
    """The memory of the board at an address. Without a folder, it lasts as long as the object.

    A file that is damaged, or belongs to another board, is refused. In a folder that cannot be written, public reads
    work. Keys and cursors must outlive the program, so they are refused. Methods raise StorageError.
    """

    def __init__(self, folder: Path | None, address: str) -> None:
        self._lock = threading.Lock()
        self._refusal: StorageError | None = None
        self._path = None if folder is None else folder / FILE
        # as the folder: a board has one, whatever the scheme of its address
        self._place = address.partition("://")[2]
        if self._path is None:
            self._database = self._created(":memory:")
            return
        try:
            self._database = self._opened(self._path)
        except NotPossible as error:
            self._refusal = error
            self._database = self._created(":memory:")

    def close(self) -> None:
        self._database.close()

    def has_key(self, fingerprint: str) -> bool:
        """Return whether a post was sent and not answered yet."""
        with self._translated():
            row = self._database.execute("SELECT 1 FROM keys WHERE fingerprint = ?", (fingerprint,)).fetchone()
        return row is not None

    def key_for(self, fingerprint: str) -> str:
        """Return the key of a post that was not answered yet, or a new one for a new post."""
        self._refuse_without_folder()
        with self._translated(), self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute("INSERT OR IGNORE INTO keys VALUES (?, ?)", (fingerprint, str(uuid.uuid4())))
            self._database.execute(
                "DELETE FROM keys WHERE rowid <= (SELECT MAX(rowid) FROM keys) - ?", (KEYS_MAX,)
            )  # fmt: skip
            row = self._database.execute("SELECT key FROM keys WHERE fingerprint = ?", (fingerprint,)).fetchone()
            return self._checked(row[0], str)

    def forget_key(self, fingerprint: str) -> None:
        """Forget the key of a post that was answered: the same content is a new post from now on."""
        with self._translated():
            self._database.execute("DELETE FROM keys WHERE fingerprint = ?", (fingerprint,))

    def cursor(self, stream: str) -> int | None:
        """Return the position in a stream, or None before the first."""
        self._refuse_without_folder()
        with self._translated():
            row = self._database.execute("SELECT after FROM cursors WHERE stream = ?", (stream,)).fetchone()
        return row and self._checked(row[0], int)

    def move_cursor(self, stream: str, after: int) -> None:
        """Keep the position in a stream, once its items up to `after` have been handled."""
        self._refuse_without_folder()
        with self._translated():
            self._database.execute("INSERT OR REPLACE INTO cursors VALUES (?, ?)", (stream, after))

    def _opened(self, path: Path) -> sqlite3.Connection:
        """Open the file, which is made if it is missing. Raises NotPossible, and StorageError if it is not ours."""
        try:
            make_private_folder(path.parent)
        except StorageError as error:
            raise NotPossible(str(error), error.hint) from None
        try:
            if not path.exists():
                self._make(path)
            check_regular(path, WAY_OUT)
            size = path.stat().st_size
            if size % PAGE_BYTES or size > FILE_BYTES_MAX:
                raise StorageError(f"{path} is cut or too large: it has {size} bytes.", WAY_OUT)
        except OSError as error:
            kind = NotPossible if error.errno in BLOCKED else StorageError
            raise kind(f"Cannot open {path}: {error.strerror}.", "" if kind is NotPossible else WAY_OUT) from None
        with self._translated():
            database = connected(path)
            try:
                row = database.execute("SELECT place FROM board").fetchone()
            except sqlite3.Error:
                database.close()
                raise
        if row is None or row[0] != self._place:
            database.close()
            raise StorageError(f"{path} holds the state of another board.", WAY_OUT)
        return database

    def _make(self, path: Path) -> None:
        """Make a file whose name no reader sees before it is complete."""
        draft = draft_of(path)
        draft.touch(0o600, exist_ok=False)
        try:
            with self._translated():
                self._created(draft).close()
            with suppress(FileExistsError):  # another process was faster
                publish(draft, path, new=True)
        finally:
            draft.unlink(missing_ok=True)

    def _created(self, name: Path | str) -> sqlite3.Connection:
        database = connected(name)
        database.executescript(TABLES)
        database.execute("INSERT INTO board VALUES (?)", (self._place,))
        return database

    def _refuse_without_folder(self) -> None:
        if self._refusal is not None:
            raise self._refusal

    def _checked(self, value: Any, kind: type[T]) -> T:
        if not isinstance(value, kind):
            raise StorageError(f"{self._path} is damaged: it holds a value of another kind.", WAY_OUT)
        return value

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            with self._lock:
                yield
        except sqlite3.Error as error:
            raise self._unusable(error) from None

    def _unusable(self, error: sqlite3.Error) -> StorageError:
        # The code of the library without its details, which are in higher bits; errors of the module have none.
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_MISUSE) & 0xFF
        if code in DAMAGE:
            return StorageError(f"{self._path} is damaged, or not a file of this client: {error}.", WAY_OUT)
        if code == sqlite3.SQLITE_BUSY:
            return NotPossible(f"Another process uses {self._path}: {error}.", "Try again.")
        return NotPossible(f"Cannot use {self._path}: {error}.")


def connected(name: Path | str) -> sqlite3.Connection:
    return sqlite3.connect(name, timeout=LOCK_SECONDS, check_same_thread=False, isolation_level=None)


def fingerprint(target: str, content: bytes | None, token: str | None) -> str:
    """Return the identity of a logical post: its author, its place, and its content."""
    parts = (target.encode(), content or b"", hashlib.sha256((token or "").encode()).digest())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()
