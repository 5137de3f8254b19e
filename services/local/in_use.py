"""Whether a board runs from an environment. Each run locks a file of its environment, wherever its own directory is.

`make clean` runs this without any installed package, so it must import only the standard library.
"""

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def in_use(file: Path) -> Iterator[None]:
    """Mark an environment as in use, together with any other run. Its file may be read-only or missing."""
    try:
        descriptor = os.open(file, os.O_RDONLY)
    except OSError:
        yield
        return
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def is_in_use(file: Path, lock: int = fcntl.LOCK_EX) -> bool:
    """Return whether another process keeps this one from taking a lock (fcntl) of a file. Raises OSError.

    With LOCK_SH, others may ask at the same time.
    """
    descriptor = os.open(file, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, lock | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


if __name__ == "__main__" and is_in_use(Path(sys.argv[1])):
    sys.exit(
        "A board runs from this checkout. Stop it first, with Ctrl-C where it runs or with its printed kill command."
    )
