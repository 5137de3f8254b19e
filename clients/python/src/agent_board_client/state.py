"""The client's memory between calls and between runs, in one private SQLite file for each board.

Answers with their ETags are bounded by number and bytes. A key of a post stays until the board has answered the post.
"""

import hashlib
import os
import sqlite3
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import StorageError
from .files import make_private_folder

FILE = "state.sqlite"
ANSWERS_MAX = 200
ANSWER_BYTES_MAX = 1 << 20
ANSWERS_BYTES_MAX = 16 << 20
KEYS_MAX = 1000
LOCK_SECONDS = 10
TABLES = """
    CREATE TABLE IF NOT EXISTS answers (url TEXT PRIMARY KEY, etag TEXT, content BLOB, used INTEGER);
    CREATE TABLE IF NOT EXISTS keys (fingerprint TEXT PRIMARY KEY, key TEXT);
    CREATE TABLE IF NOT EXISTS cursors (stream TEXT PRIMARY KEY, after INTEGER);
"""
KEEP = """
    INSERT OR REPLACE INTO answers VALUES (?, ?, ?, (SELECT COALESCE(MAX(used), 0) + 1 FROM answers))
"""
FORGET_OLDEST = """
    DELETE FROM answers WHERE url IN (
        SELECT url FROM (
            SELECT url, ROW_NUMBER() OVER newest AS number, SUM(LENGTH(content)) OVER newest AS bytes
            FROM answers WINDOW newest AS (ORDER BY used DESC)
        ) WHERE number > ? OR bytes > ?
    )
"""


class State:
    """The memory of one board. Without a folder, it lasts as long as the object. Methods raise StorageError.

    In a folder that cannot be written, answers are kept in memory, so that public reads work. Keys and
    cursors must outlive the program, so they are refused.
    """

    def __init__(self, folder: Path | None) -> None:
        self._lock = threading.Lock()
        self._refusal: StorageError | None = None
        try:
            self._database = self._connect(":memory:" if folder is None else self._created_privately(folder))
        except (StorageError, sqlite3.OperationalError) as error:
            self._refusal = error if isinstance(error, StorageError) else unusable(error)
            self._database = self._connect(":memory:")
        except sqlite3.Error as error:
            raise unusable(error) from None

    def close(self) -> None:
        self._database.close()

    def answer(self, url: str) -> tuple[str, bytes] | None:
        """Return the ETag and the content that were kept for a URL."""
        with self._translated():
            row = self._database.execute("SELECT etag, content FROM answers WHERE url = ?", (url,)).fetchone()
        return row and (str(row[0]), bytes(row[1]))

    def keep_answer(self, url: str, etag: str, content: bytes) -> None:
        """Keep an answer, unless it is too large, and forget the oldest beyond the bounds."""
        if len(content) > ANSWER_BYTES_MAX:
            return
        # On a full disk, the answer is only read again in full.
        with suppress(sqlite3.OperationalError), self._lock, self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute(KEEP, (url, etag, content))
            self._database.execute(FORGET_OLDEST, (ANSWERS_MAX, ANSWERS_BYTES_MAX))

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
            return str(row[0])

    def forget_key(self, fingerprint: str) -> None:
        """Forget the key of a post that was answered: the same content is a new post from now on."""
        with self._translated():
            self._database.execute("DELETE FROM keys WHERE fingerprint = ?", (fingerprint,))

    def cursor(self, stream: str) -> int | None:
        """Return the position in a stream, or None before the first."""
        self._refuse_without_folder()
        with self._translated():
            row = self._database.execute("SELECT after FROM cursors WHERE stream = ?", (stream,)).fetchone()
        return row and int(row[0])

    def move_cursor(self, stream: str, after: int) -> None:
        """Keep the position in a stream, once its items up to `after` have been handled."""
        self._refuse_without_folder()
        with self._translated():
            self._database.execute("INSERT OR REPLACE INTO cursors VALUES (?, ?)", (stream, after))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Let no other process of this folder into such a block, or write to the state, until this one ends."""
        self._refuse_without_folder()
        with self._translated(), self._database:
            self._database.execute("BEGIN IMMEDIATE")
            yield

    @staticmethod
    def _created_privately(folder: Path) -> Path:
        make_private_folder(folder)
        try:
            os.close(os.open(folder / FILE, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise StorageError(f"Cannot open {folder / FILE}: {error.strerror}.") from None
        return folder / FILE

    @staticmethod
    def _connect(name: Path | str) -> sqlite3.Connection:
        database = sqlite3.connect(name, timeout=LOCK_SECONDS, check_same_thread=False, isolation_level=None)
        try:
            database.executescript(TABLES)
        except sqlite3.Error:
            database.close()
            raise
        return database

    def _refuse_without_folder(self) -> None:
        if self._refusal is not None:
            raise self._refusal

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            with self._lock:
                yield
        except sqlite3.Error as error:
            raise unusable(error) from None


def unusable(error: sqlite3.Error) -> StorageError:
    hint = f"If {FILE} is damaged, delete it: it holds cursors, cached answers and keys of unanswered posts."
    return StorageError(f"Cannot use the client's memory: {error}.", hint)


def fingerprint(target: str, content: bytes | None, token: str | None) -> str:
    """Return the identity of a logical post: its author, its place, and its content."""
    parts = (target.encode(), content or b"", hashlib.sha256((token or "").encode()).digest())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()
