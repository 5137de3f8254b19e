"""Tables of which nothing that matters is lost: ids and names are whole at every width, and rows are lines.

Columns are separated by two or more spaces, which no cell contains, so that programs can split lines too. The last
columns hold texts of others: only these are cut, only for a terminal, and they can displace nothing but each other.
"""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

GAP = "  "
EMPTY = "-"
# The narrowest column for texts of others, in cells of the terminal.
FOREIGN_MIN = 12
CUT = "..."

Row = Sequence[str]


def table_lines(rows: Sequence[Row], foreign: int, width: int | None) -> list[str]:
    """Return the lines of a table; the first row is its head.

    The last `foreign` columns hold texts of others. `width` is that of the terminal in cells, or None for no terminal.
    """
    cells = [[cell or EMPTY for cell in row] for row in rows]
    own = len(cells[0]) - foreign
    widths = [widest(column) for column in zip(*cells, strict=True)]
    if width is not None:
        left = width - sum(widths[:own]) - len(GAP) * (len(widths) - 1)
        widths[own:] = shares(widths[own:], left)
        cells = [row[:own] + list(map(cut, row[own:], widths[own:])) for row in cells]
    padded = len(widths) if width is not None else own
    return [GAP.join([*map(set_cell_size, row[:padded], widths), *row[padded:]]).rstrip() for row in cells]


def widest(column: Sequence[str]) -> int:
    return max(map(cell_len, column))


def shares(wanted: Sequence[int], left: int) -> list[int]:
    """Divide the rest of a line among columns. A narrow one leaves its share to the others."""
    found = dict.fromkeys(range(len(wanted)), 0)
    for done, index in enumerate(sorted(found, key=wanted.__getitem__)):
        found[index] = min(wanted[index], max(left // (len(wanted) - done), FOREIGN_MIN))
        left -= found[index]
    return list(found.values())


def cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - len(CUT)).rstrip() + CUT
