"""Input of the command from files and standard input."""

import sys
from pathlib import Path

from .decoding import decode
from .errors import StorageError
from .models import Receipt

FILE_BYTES_MAX = 1 << 20


def text_argument(text: str) -> str:
    """Return a text that was given, or standard input if it is `-`."""
    return sys.stdin.read().rstrip("\n") if text == "-" else text


def read_receipt_file(path: Path) -> Receipt:
    """Return the receipt in a file. Raises StorageError, or UnexpectedAnswer if there is no receipt in it."""
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX)
    except OSError as error:
        raise StorageError(f"Cannot read {path}: {error.strerror}.") from None
    return decode(content, Receipt)  # type: ignore[no-any-return]
