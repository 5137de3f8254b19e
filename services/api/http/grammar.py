"""The grammar of a request's head and of chunk lines (RFC 9112), checked on the raw bytes before they are parsed.

Many parsers accept more than the grammar. If a server in front reads the same bytes differently, a client could hide
one request in another.
"""

import re
from typing import Final

from services.board.errors import Invalid
from services.contract.answers.problems import FieldError
from services.contract.bounds import HEAD_BYTES_MAX

HEAD_END: Final = b"\r\n\r\n"
TOKEN: Final = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]++"
# Sanic takes every spelling of HEAD for that method, but only one is. The target may have no fragment. The characters
# that a URI must escape are allowed, because many clients send them. Values may have every byte that no parser takes
# for the end of a line or of a text, or for white space.
HEAD: Final = re.compile(
    rb"(?!(?!HEAD )(?i:HEAD) )"
    + TOKEN
    + rb" [!\"$-~]++ HTTP/1\.[01]\r\n(?:"
    + TOKEN
    + rb":[^\x00\n\x0b\x0c\r]*+\r\n)*+\r\n",
)
FRAMING: Final = re.compile(rb"\r\n(host|content-length|transfer-encoding):[\t ]*+([^\r]*)", re.IGNORECASE)
HOST: Final = re.compile(rb"(?:\[[0-9A-Za-z:.]+\]|[!$&'()*+,;=\-._~%0-9A-Za-z]*)(?::[0-9]*)?[\t ]*")
LENGTH: Final = re.compile(rb"[0-9]+[\t ]*")
CODING: Final = re.compile(rb"chunked[\t ]*", re.IGNORECASE)

CHUNK_LINE_MAX: Final = 128
EXTENSION: Final = rb"(?:[\t ]*;[\t\x20-\x7e\x80-\xff]*)?"
# A chunk line is read together with the line break before it, which ends the chunk before or the head.
CHUNK_LINE: Final = re.compile(
    rb"\r\n(?:0{0,16}([1-9A-Fa-f][0-9A-Fa-f]{0,15})" + EXTENSION + rb"\r\n|0{1,16}" + EXTENSION + rb"\r\n\r\n)"
)
CHUNK_LINE_BEGUN: Final = re.compile(
    rb"\r?|\r\n(?:[0-9A-Fa-f]{1,32}(?:" + EXTENSION + rb"\r?|[\t ]*)|0{1,16}" + EXTENSION + rb"\r\n\r?)?"
)

MALFORMED: Final = "The HTTP request is malformed."
NO_HOST: Final = "The HTTP request needs exactly one Host header, with a host and optionally a port."
AMBIGUOUS_BODY: Final = (
    "The length of the body must be given once: by Content-Length in ASCII digits, or in HTTP/1.1 by "
    "Transfer-Encoding: chunked."
)


def bad_head(detail: str = MALFORMED, field: str = "head") -> Invalid:
    """Return the error for a head that is refused."""
    return Invalid([FieldError(None, field, "bad_format", detail)])


def long_head() -> Invalid:
    """Return the error for a head that is too long."""
    detail = f"The request line and headers are longer than {HEAD_BYTES_MAX} bytes."
    return Invalid([FieldError(None, "head", "too_long", detail, HEAD_BYTES_MAX)])


def check_head(head: bytes) -> None:
    """Raise Invalid for a head, with its empty line, that is malformed or could mean something else to a server."""
    if HEAD.fullmatch(head) is None:
        raise bad_head()
    fields = FRAMING.findall(head)
    hosts = [value for name, value in fields if len(name) == len("host")]
    if (len(hosts) != 1 and (hosts or not is_old(head))) or (hosts and HOST.fullmatch(hosts[0]) is None):
        raise bad_head(NO_HOST)
    bodies = [field for field in fields if len(field[0]) != len("host")]
    if bodies:
        check_body(head, *bodies)


def check_body(head: bytes, field: tuple[bytes, bytes], *others: tuple[bytes, bytes]) -> None:
    """Raise Invalid if a server could see another body."""
    name, value = field
    if len(name) == len("content-length"):
        if others or LENGTH.fullmatch(value) is None:
            raise bad_head(AMBIGUOUS_BODY, "head" if value.isascii() else "Content-Length")
    elif others or CODING.fullmatch(value) is None or is_old(head):
        raise bad_head(AMBIGUOUS_BODY)


def is_old(head: bytes) -> bool:
    """Whether the protocol is HTTP/1.0."""
    return head[: head.index(b"\r")].endswith(b"1.0")
