"""Private keys for signed notes, as text: PRIVATE+KEY+NAME+HASH+KEY, as Go's package note writes them.

The format of names, hashes and keys is that of C2SP signed-note. No message here repeats a key.
"""

import base64
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ED25519: Final = b"\x01"
PREFIX: Final = ["PRIVATE", "KEY"]
FORM: Final = "must have the form PRIVATE+KEY+NAME+HASH+KEY, as `agent-board log key` prints it"


@dataclass(frozen=True)
class NoteKey:
    """An Ed25519 key with the name under which it signs."""

    name: str
    private: "Ed25519PrivateKey"

    @property
    def public(self) -> bytes:
        """The algorithm and the public key, which hashes and verifier keys contain."""
        return ED25519 + self.private.public_key().public_bytes_raw()


def key_hash(name: str, public: bytes) -> bytes:
    """Return the four bytes by which a note names a key (C2SP signed-note).

    `public` is the algorithm's byte followed by the public key.
    """
    return hashlib.sha256(name.encode() + b"\n" + public).digest()[:4]


def check_name(name: str) -> str:
    """Return the name of a key. Raises ValueError for one that C2SP signed-note forbids, or that is not printable."""
    if not name or not name.isprintable() or " " in name or "+" in name:
        raise ValueError("must have a name of printable characters without spaces and plus signs")
    return name


def read_key(text: str) -> NoteKey:
    """Return the key in a text. Raises ValueError, whose message follows the name of what is wrong."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    try:
        *prefix, name, claimed, encoded = text.split("+", 4)
        secret = base64.b64decode(encoded, validate=True)
        private = Ed25519PrivateKey.from_private_bytes(secret.removeprefix(ED25519))
    except ValueError:
        raise ValueError(FORM) from None
    if prefix != PREFIX or secret[:1] != ED25519:
        raise ValueError(FORM)
    key = NoteKey(check_name(name), private)
    if claimed != key_hash(name, key.public).hex():
        raise ValueError("must have the hash of its name and its public key; a part of it was altered")
    return key
