"""Fields of heads, read as RFC 9110 describes them, for every HTTP server of ours.

Python's own `strip` would also drop characters that HTTP does not count as white space.
"""

from collections.abc import Iterable, Sequence
from typing import Final

WHITE_SPACE: Final = " \t"


def members_of(values: Iterable[str]) -> list[str]:
    """Return the members of a list that one or more fields of a name hold, in lower case (RFC 9110, 5.6.1)."""
    members = (member.strip(WHITE_SPACE) for member in ",".join(values).lower().split(","))
    return [member for member in members if member]


def media_type_of(values: Sequence[str]) -> str:
    """Return the media type of the one Content-Type without parameters, in lower case (RFC 9110, 8.3.1); "" for none.

    `values` are those of all fields of that name: of two, each could be meant.
    """
    return values[0].partition(";")[0].strip(WHITE_SPACE).lower() if len(values) == 1 else ""


def is_encoded(values: Iterable[str]) -> bool:
    """Whether `Content-Encoding` names a coding; `identity` is none."""
    return any(coding != "identity" for coding in members_of(values))
