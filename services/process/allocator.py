"""How the C library keeps memory that was freed.

glibc raises its threshold for blocks of their own when such a block is freed, up to 32 MiB. After a few large answers,
others would come from the heap, where small objects that live longer keep them from returning to the system.
"""

import ctypes
from typing import Final

# The parameters of mallopt(3).
M_TRIM_THRESHOLD: Final = -1
M_MMAP_THRESHOLD: Final = -3
OWN_BLOCK_BYTES: Final = 2**17
HEAP_TOP_BYTES: Final = 2**22


def return_freed_memory() -> None:
    """Let blocks of 128 KiB return to the system when they are freed, and so the top of the heap beyond 4 MiB.

    Nothing happens with a C library that has no mallopt.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, OWN_BLOCK_BYTES)
        mallopt(M_TRIM_THRESHOLD, HEAP_TOP_BYTES)
