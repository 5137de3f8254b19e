"""Fields of heads, read as RFC 9110 describes them, for every HTTP server of ours.

Sanic leaves white space at the end of a value. Python's own `strip` would also drop characters that HTTP does not
count as white space.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

WHITE_SPACE: Final = " \t"
# A head in which no line ends with white space, and nothing could be taken for white space but spaces.
PLAIN: Final = re.compile(rb"(?:[ -~]*[!-~]\r\n)*[ -~]*[!-~]")


def fields_of(head: bytes, known: Any) -> Any:
    """Return the fields of a head without its empty line, with values as RFC 9110, 5.5, describes them.

    White space around a value, SP and HTAB, is not part of it. `known` are the fields as Sanic has read them, without
    white space at the beginning; they are right for a plain head, and then nothing is read again.
    """
    if not head or PLAIN.fullmatch(head):
        return known
    lines = head.decode(errors="surrogateescape").split("\r\n")[1:]
    return [(name.lower(), value.strip(WHITE_SPACE)) for name, _, value in (line.partition(":") for line in lines)]


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


def stays_open(version: str, connection: Iterable[str]) -> bool:
    """Whether a connection stays open after an answer (RFC 9112, 9.3): `version` is 1.1, or 1.0 and older.

    Any option but `keep-alive` ends it, such as that of an upgrade, which no server of ours makes.
    """
    options = set(members_of(connection))
    return options <= {"keep-alive"} and (version == "1.1" or bool(options))
