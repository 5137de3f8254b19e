"""How RFC 9112 divides bytes into requests, read line by line: the fuzzer compares the board with it.

It shares nothing with services/api/http/grammar.py, so that a mistake in one of them shows.
"""

from typing import NamedTuple

from services.contract.bounds import HEAD_BYTES_MAX

TOKEN = frozenset(b"!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
HOST = frozenset(b"!$&'()*+,;=-._~%0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
ADDRESS = frozenset(b":.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
DIGITS = frozenset(b"0123456789")
HEX = frozenset(b"0123456789abcdefABCDEF")
NOT_IN_VALUES = frozenset(b"\0\n\x0b\x0c\r")
NOT_IN_EXTENSIONS = frozenset([*range(9), *range(10, 32), 127])


class CutOff(Exception):
    """The request has not arrived in full."""


class Expected(NamedTuple):
    """The methods of the requests that are answered, in order, and how many answers there are at least."""

    methods: list[bytes]
    least: int


class Head(NamedTuple):
    """A head that is right: its fields, with names in lower case, and whether the protocol is HTTP/1.0."""

    fields: list[tuple[bytes, bytes]]
    target: bytes
    is_old: bool

    def values(self, name: bytes) -> list[bytes]:
        return [value for other, value in self.fields if other == name]


def requests_in(sent: bytes) -> Expected:
    """Divide all bytes that a connection carried. A request that is refused has one answer and ends it.

    One that is cut off has an answer only if it is refused before its end.
    """
    methods: list[bytes] = []
    least = None
    while sent:
        raw, end, rest = sent.partition(b"\r\n\r\n")
        method, space, _ = raw.partition(b" ")
        methods.append(method if space else b"")
        if not end and len(raw) < HEAD_BYTES_MAX:
            least = len(methods) - 1 if least is None else least
            break
        head = read_head(raw) if end and len(raw) < HEAD_BYTES_MAX else None
        if head is None:
            break
        try:
            after = after_body(head, rest)
        except CutOff:
            least = len(methods) - 1 if least is None else least
            break
        if after is None or ends(head):
            break
        if least is None and may_end(head):
            least = len(methods)
        sent = after
    return Expected(methods, len(methods) if least is None else least)


def read_head(raw: bytes) -> Head | None:
    line, *lines = raw.split(b"\r\n")
    parts = line.split(b" ")
    if len(parts) != 3 or not parts[0] or not TOKEN.issuperset(parts[0]):
        return None
    if parts[0] != b"HEAD" and parts[0].upper() == b"HEAD":
        return None
    if not parts[1] or any(not 33 <= byte <= 126 or byte == 35 for byte in parts[1]):
        return None
    fields = [read_field(text) for text in lines]
    if parts[2] not in (b"HTTP/1.0", b"HTTP/1.1") or None in fields:
        return None
    head = Head([field for field in fields if field], parts[1], parts[2].endswith(b"0"))
    return head if has_right_host(head) and has_right_body(head) else None


def read_field(text: bytes) -> tuple[bytes, bytes] | None:
    name, colon, value = text.partition(b":")
    if not colon or not name or not TOKEN.issuperset(name) or NOT_IN_VALUES.intersection(value):
        return None
    return name.lower(), value.strip(b" \t")


def has_right_host(head: Head) -> bool:
    hosts = head.values(b"host")
    if len(hosts) != 1:
        return not hosts and head.is_old
    host, is_address = hosts[0], hosts[0].startswith(b"[")
    name, separator, port = host[1:].partition(b"]") if is_address else host.partition(b":")
    if is_address:
        is_right = bool(name) and separator and ADDRESS.issuperset(name) and port[:1] in (b"", b":")
        return bool(is_right) and DIGITS.issuperset(port[1:])
    return HOST.issuperset(name) and DIGITS.issuperset(port)


def has_right_body(head: Head) -> bool:
    lengths, codings = head.values(b"content-length"), head.values(b"transfer-encoding")
    if len(lengths) + len(codings) > 1:
        return False
    if codings:
        return codings[0].lower() == b"chunked" and not head.is_old
    return not lengths or (bool(lengths[0]) and DIGITS.issuperset(lengths[0]) and len(lengths[0]) < 1000)


def ends(head: Head) -> bool:
    """Whether the connection ends after this request, in any case."""
    options = connection_options(head)
    expects = [] if head.is_old else head.values(b"expect")[:1]
    if expects and expects[0].lower() != b"100-continue" and has_body(head):
        return True
    return b"close" in options or (head.is_old and b"keep-alive" not in options)


def may_end(head: Head) -> bool:
    """Whether the board may end the connection after this request: the standard leaves it open."""
    options = connection_options(head)
    is_expecting = bool(head.values(b"expect")) and has_body(head)
    return bool(options - {b"keep-alive"}) or is_expecting or not head.target.startswith(b"/")


def connection_options(head: Head) -> set[bytes]:
    members = b",".join(head.values(b"connection")).lower().split(b",")
    return {member.strip(b" \t") for member in members} - {b""}


def has_body(head: Head) -> bool:
    return bool(head.values(b"content-length") or head.values(b"transfer-encoding"))


def after_body(head: Head, rest: bytes) -> bytes | None:
    """The bytes that follow the body, or None if the body is malformed. Raises CutOff."""
    if head.values(b"transfer-encoding"):
        return after_chunks(rest)
    length = int((head.values(b"content-length") or [b"0"])[0])
    if length > len(rest):
        raise CutOff
    return rest[length:]


def after_chunks(rest: bytes) -> bytes | None:
    while True:
        line, end, rest = rest.partition(b"\r\n")
        digits, semicolon, extension = line.partition(b";")
        if semicolon:
            digits = digits.rstrip(b" \t")
        if not end:
            raise CutOff
        if not 0 < len(digits) <= 16 or not HEX.issuperset(digits):
            return None
        if len(line) > 100 or NOT_IN_EXTENSIONS.intersection(extension):
            return None
        size = int(digits, 16)
        if rest[size : size + 2] != b"\r\n":
            if b"\r\n".startswith(rest[size : size + 2]):
                raise CutOff
            return None
        rest = rest[size + 2 :]
        if not size:
            return rest
