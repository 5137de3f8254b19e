"""Which characters look alike (UTS 39, 4), from the table `look_alikes.txt`."""

from functools import cache
from pathlib import Path
from typing import Final

TABLE: Final = Path(__file__).with_suffix(".txt")


@cache
def prototypes() -> dict[int, str]:
    """Return the text that stands for each character that looks like it, as `str.translate` takes it."""
    found: dict[int, str] = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("# `make"):
            prototype, _, others = line.rpartition(" ")
            found |= {ord(other): prototype for other in others}
    return found
