"""Pages of posts are bounded by the bytes of their bodies as well as by their number (interface 9.9).

PostgreSQL measures the bodies, so a process never receives more than a page shows and one post more.
"""

from collections.abc import Sequence
from typing import TypeVar

from services.contract.bounds import PAGE_TEXT_BYTES

from .rows import Row

# How much of a body is left in a list that is not cut. Excerpts need less.
SHORT_CHARACTERS = 2000

# The columns that a bounded statement adds, in this order.
MEASURES = ("measured_bytes", "fits")

R = TypeVar("R", bound=Row)


def measured(statement: str, order: str, bytes_max: int, partition: str) -> str:
    """Return a statement whose rows have `measured_bytes`, those of the bodies up to there, and `fits`.

    The first body of a page always fits. A row without a body does, too.
    """
    return f"""
SELECT *, coalesce(measured_bytes <= {bytes_max} OR measured_bytes = octet_length(body), true) AS fits FROM (
    SELECT page.*, sum(octet_length(body)) OVER (
        {f"PARTITION BY {partition}" if partition else ""} ORDER BY {order} ROWS UNBOUNDED PRECEDING
    ) AS measured_bytes FROM ({statement}) page
) measured"""


def bounded(statement: str, order: str, bytes_max: int = PAGE_TEXT_BYTES, partition: str = "") -> str:
    """Return a statement for the rows of a page, in this order, up to the first that its bytes do not allow.

    `statement` has the column `body`, `partition` is the column that tells several pages apart.
    """
    return f"""
{measured(statement, order, bytes_max, partition)}
WHERE coalesce(measured_bytes - octet_length(body) <= {bytes_max}, true)
ORDER BY {f"{partition}, " if partition else ""}{order}"""


def shortened(statement: str, order: str, columns: Sequence[str], bytes_max: int, first: str = "") -> str:
    """Return a statement for all rows of a page, in this order, with these columns. It is for pages without a cursor.

    Only the beginning is left of bodies that its bytes do not allow, in the order `first` or else in that of the rows:
    these are not `whole`.
    """
    body = f"CASE WHEN fits THEN body ELSE left(body, {SHORT_CHARACTERS}) END AS body"
    shown = ", ".join(body if name == "body" else name for name in columns)
    page = measured(statement, first or order, bytes_max, "")
    return f"SELECT {shown}, true AS fits, fits AS whole FROM ({page}) page ORDER BY {order}"


def cut(rows: Sequence[R], limit: int) -> list[R]:
    """Return the rows of a page: at most `limit`, as far as its bytes allow. If rows are left, there are more."""
    return [row for row in rows[:limit] if row["fits"]]
