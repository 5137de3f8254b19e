"""The paths of the tiles of a log (C2SP tlog-tiles)."""

WIDTH = 256


def tile_path(number: int, width: int = WIDTH) -> str:
    """Return the last part of a tile's path: its number in groups of three digits, then the width if it is not full."""
    digits = f"{number:03}"
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    *others, last = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    path = "/".join([*(f"x{part}" for part in others), last])
    return path if width == WIDTH else f"{path}.p/{width}"
