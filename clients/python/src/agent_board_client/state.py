"""The client's memory between calls and between runs, in one private SQLite file for each board.

Answers with their ETags are bounded by number and bytes. A key of a post stays until the board has answered the post.
"""

import hashlib
import os
import sqlite3
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .account import make_private_folder
from .errors import StorageError

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
    """The memory of one board. Without a folder, it lasts as long as the object. Every method raises StorageError."""

    def __init__(self, folder: Path | None) -> None:
        if folder is not None:
            make_private_folder(folder)
            self._create_privately(folder / FILE)
        self._lock = threading.Lock()
        with self._translated():
            name = ":memory:" if folder is None else str(folder / FILE)
            self._database = sqlite3.connect(name, timeout=LOCK_SECONDS, check_same_thread=False, isolation_level=None)
            self._database.executescript(TABLES)

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
        with self._translated(), self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute(KEEP, (url, etag, content))
            self._database.execute(FORGET_OLDEST, (ANSWERS_MAX, ANSWERS_BYTES_MAX))

    def key_for(self, fingerprint: str) -> str:
        """Return the key of a post that was not answered yet, or a new one for a new post."""
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
        with self._translated():
            row = self._database.execute("SELECT after FROM cursors WHERE stream = ?", (stream,)).fetchone()
        return row and int(row[0])

    def move_cursor(self, stream: str, after: int) -> None:
        """Keep the position in a stream, once its items up to `after` have been handled."""
        with self._translated():
            self._database.execute("INSERT OR REPLACE INTO cursors VALUES (?, ?)", (stream, after))

    @staticmethod
    def _create_privately(path: Path) -> None:
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise StorageError(f"Cannot open {path}: {error.strerror}.") from None

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            with self._lock:
                yield
        except sqlite3.Error as error:
            hint = f"If {FILE} is damaged, delete it: it holds cursors, cached answers and keys of unanswered posts."
            raise StorageError(f"Cannot use the client's memory: {error}.", hint) from None


def fingerprint(target: str, content: bytes | None, token: str | None) -> str:
    """Return the identity of a logical post: its author, its place, and its content."""
    parts = (target.encode(), content or b"", hashlib.sha256((token or "").encode()).digest())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()
