"""The entries of a log, read over HTTP as anyone can (C2SP tlog-tiles)."""

from tests.web import Web

WIDTH = 256
LENGTH_BYTES = 2


def tile_path(number: int, width: int = WIDTH) -> str:
    """Return the last part of a tile's path: its number in groups of three digits, then the width if it is not full."""
    digits = f"{number:03}"
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    *others, last = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    path = "/".join([*(f"x{part}" for part in others), last])
    return path if width == WIDTH else f"{path}.p/{width}"


def read_entries(web: Web, size: int) -> list[bytes]:
    """Return the entries of a log that has this many."""
    entries: list[bytes] = []
    while len(entries) < size:
        answer = web.get(f"/log/tile/entries/{tile_path(len(entries) // WIDTH, min(WIDTH, size - len(entries)))}")
        assert answer.status == 200, answer.content
        content, at = answer.content, 0
        while at < len(content):
            start = at + LENGTH_BYTES
            at = start + int.from_bytes(content[at:start], "big")
            entries.append(content[start:at])
    return entries
