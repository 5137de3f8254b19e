"""Files that even root may not read or write, once a thread has given up that power."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

VERSION_3 = 0x20080522
# CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH and CAP_FOWNER of capabilities(7)
PASSING_RIGHTS = 1 << 1 | 1 << 2 | 1 << 3
LIBC = ctypes.CDLL(None, use_errno=True)


@contextmanager
def rights_of_files() -> Iterator[None]:
    """Let the rights of files bind this thread within the block."""
    # of this thread; the sets effective, permitted and inheritable, first for the lower 32 capabilities
    header, sets = (ctypes.c_uint32 * 2)(VERSION_3, 0), (ctypes.c_uint32 * 6)()
    change("capget", header, sets)
    effective = sets[0]
    sets[0] = effective & ~PASSING_RIGHTS
    change("capset", header, sets)
    try:
        yield
    finally:
        sets[0] = effective
        change("capset", header, sets)


def change(call: str, header: object, sets: object) -> None:
    if LIBC[call](header, sets):
        raise OSError(ctypes.get_errno(), call)
