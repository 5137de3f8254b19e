"""The key of the verifiable log, made without any package: `make secrets` needs only Python.

`agent-board log key` makes keys of the same form with a library. Here, the public key is computed from the seed as
RFC 8032, 5.1.5 describes it. That takes a few milliseconds, whose length may depend on the seed: nothing here is to run
where others could measure it.
"""

import base64
import hashlib
import re
import secrets
from typing import Final

from deploy.compose.errors import StackError

Point = tuple[int, int, int, int]


ADDRESS: Final = re.compile(r"(https?)://([A-Za-z0-9._:\[\]-]+)(/[A-Za-z0-9._~%/-]*)?")
PORTS: Final = {"http": ":80", "https": ":443"}
ED25519: Final = b"\x01"
P: Final = 2**255 - 19
D: Final = -121665 * pow(121666, -1, P) % P
NEUTRAL: Final[Point] = (0, 1, 1, 0)
Y: Final = 4 * pow(5, -1, P) % P
X: Final = 15112221349535400772501151409588531511454012693041857206046113283949847762202
BASE: Final[Point] = (X, Y, 1, X * Y % P)


def new_key(name: str) -> str:
    """Return a private key with this name in the form of Go's package note: PRIVATE+KEY+NAME+HASH+KEY."""
    seed = secrets.token_bytes(32)
    claimed = hashlib.sha256(name.encode() + b"\n" + ED25519 + public_key(seed)).hexdigest()[:8]
    return f"PRIVATE+KEY+{name}+{claimed}+{base64.b64encode(ED25519 + seed).decode()}"


def log_name(base_url: str) -> str:
    """Return the name of a board's log: its address without the scheme, in the spelling of the board, and /log.

    Raises StackError for what the board's processes refuse, too.
    """
    found = ADDRESS.fullmatch(base_url.rstrip("/"))
    if found is None:
        raise StackError("BASE_URL must be an http or https address, such as https://board.example.")
    scheme, host, path = found.groups("")
    return f"{host.lower().removesuffix(PORTS[scheme]).removesuffix('.')}{path}/log"


def name_of(key: str) -> str:
    """Return the name in a private key; blank if the text is none."""
    parts = key.split("+", 4)
    return parts[2] if len(parts) == 5 and parts[:2] == ["PRIVATE", "KEY"] else ""


def public_key(seed: bytes) -> bytes:
    """Return the Ed25519 public key of a seed of 32 bytes (RFC 8032, 5.1.5)."""
    number = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little")
    x, y, z, _ = times(number & (2**254 - 8) | 2**254, BASE)
    inverse = pow(z, -1, P)
    return (y * inverse % P | (x * inverse % P & 1) << 255).to_bytes(32, "little")


def times(number: int, point: Point) -> Point:
    result = NEUTRAL
    while number:
        if number & 1:
            result = plus(result, point)
        point, number = plus(point, point), number >> 1
    return result


def plus(one: Point, other: Point) -> Point:
    """Add two points in extended coordinates (RFC 8032, 5.1.4)."""
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % P, (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P
