"""The memory of the log of one board, in private files: its key, the last checkpoint, and a refused one.

Several processes can share it.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from msgspec import UNSET, Struct, UnsetType

from .calls import Call
from .client import Board
from .errors import LogAbsent, LogFault, Refused, StorageError
from .files import make_private_folder, read_text, write_privately
from .operations import READ_EFFECTS
from .signed_note import Checkpoint, VerifierKey, verifier_key, verify_checkpoint

KEY_FILE = "log.key"
CHECKPOINT_FILE = "log.checkpoint"
REFUSED_FILE = "log.refused"
NOT_FOUND = 404
KEY_HINT = "Restore the file. If you delete it, the key that the board announces now is kept instead."
CHECKPOINT_HINT = "Restore the file. If you delete it, no later look can prove that the log was not changed before."
T = TypeVar("T")


class LogPlace(Struct, frozen=True, kw_only=True):
    """The log that a board announces."""

    checkpoint: str
    verifier_key: str


class LoggedEffects(Struct, frozen=True, kw_only=True):
    """The part of the effect contract that announces a log."""

    log: LogPlace | UnsetType | None = UNSET


class LogMemory:
    """The memory of one log. Methods raise StorageError, also for a file that is not as it was written."""

    def __init__(self, board: Board) -> None:
        if board.account.folder is None:
            raise StorageError("The log needs a folder for its key and its last checkpoint.")
        self._folder = board.account.folder
        self._state = board.state

    def key(self) -> VerifierKey | None:
        """Return the key of the first use, or None before it."""
        return self._read(KEY_FILE, KEY_HINT, verifier_key)

    def checkpoint(self, key: VerifierKey) -> Checkpoint | None:
        """Return the last checkpoint, or None before the first."""
        return self._read(CHECKPOINT_FILE, CHECKPOINT_HINT, lambda text: verify_checkpoint(text, key))

    def keep_key(self, key: VerifierKey) -> None:
        """Keep the key of the first use. Raises LogFault if another one is kept."""
        if self.key() is None:
            with self._state.alone():
                if self.key() is None:
                    self._write(KEY_FILE, f"{key}\n")
        if self.key() != key:
            path = self._folder / KEY_FILE
            hint = (
                f"That key is in {path}. If the operator confirms the new one, delete the files log.* in that folder."
            )
            raise LogFault("The board has another verifier key than on first use.", hint)

    def keep(self, checkpoint: Checkpoint, last: Checkpoint | None) -> bool:
        """Keep a checkpoint that was proved against the last one; return False if another process replaced that one."""
        with self._state.alone():
            kept = read_text(self._folder / CHECKPOINT_FILE, CHECKPOINT_HINT)
            if kept != (None if last is None else last.text):
                return False
            self._write(CHECKPOINT_FILE, checkpoint.text)
            return True

    def keep_refused(self, checkpoint: Checkpoint) -> Path:
        """Keep a checkpoint that contradicts the last one, and return its file: both notes are evidence."""
        return self._write(REFUSED_FILE, checkpoint.text)

    def _read(self, name: str, way_out: str, parse: Callable[[str], T]) -> T | None:
        path = self._folder / name
        text = read_text(path, way_out)
        try:
            return None if text is None else parse(text)
        except LogFault as fault:
            raise StorageError(f"{path} is not as it was written. {fault}", way_out) from None

    def _write(self, name: str, text: str) -> Path:
        make_private_folder(self._folder)
        write_privately(self._folder / name, text)
        return self._folder / name


def key_of(board: Board, given: str | None, memory: LogMemory) -> VerifierKey:
    """Return the key that was given, or the one of the board, which must remain that of the first use.

    Raises LogFault if the key is another one or malformed, or if the board has no log; BoardError.
    """
    key = verifier_key(announced_key(board) if given is None else given)
    memory.keep_key(key)
    return key


def announced_key(board: Board) -> str:
    """Return the key of `/effects.json`. Raises LogAbsent if the board has no log, and BoardError."""
    call = Call(replace(READ_EFFECTS, returns=LoggedEffects))
    try:
        effects: LoggedEffects = board.pages.send(call)  # type: ignore[assignment]
    except Refused as error:
        if error.status != NOT_FOUND:
            raise
        effects = LoggedEffects(log=None)
    if not effects.log:
        raise LogAbsent("The board has no verifiable log.")
    return effects.log.verifier_key
