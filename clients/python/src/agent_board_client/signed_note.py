"""Checkpoints of a log: notes that an Ed25519 key signs (C2SP signed-note and tlog-checkpoint)."""

import re
from base64 import b64decode, b64encode
from dataclasses import dataclass
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .errors import LogFault

ED25519 = b"\x01"
KEY_BYTES = 32
HASH_BYTES = 4
# A generation after the first (interface 7.10).
LATER = r"/(?:[2-9]|[1-9][0-9]+)"
# A name has neither spaces nor a plus sign (C2SP signed-note, "Format").
NAME = re.compile(r"[^\s+\x00-\x1f\x7f]+")
SIGNATURE = re.compile(r"\u2014 ([^\s+]+) (\S+)")


@dataclass(frozen=True)
class VerifierKey:
    """The name of a log and its public key."""

    name: str
    public: bytes

    def hash_for(self, origin: str) -> bytes:
        """Return the hash of the key under a name (C2SP signed-note, "Signatures")."""
        return sha256(f"{origin}\n".encode() + ED25519 + self.public).digest()[:HASH_BYTES]


@dataclass(frozen=True)
class Checkpoint:
    """The size and the root that a log has signed."""

    size: int
    root: bytes


def verifier_key(text: str) -> VerifierKey:
    """Return the key that `NAME+HASH8+BASE64` states (C2SP signed-note, "Verifier keys").

    Raises LogFault if the text is not a key, or has the hash of another key.
    """
    name, _, rest = text.strip().partition("+")
    stated, _, encoded = rest.partition("+")
    content = unbase64(encoded)
    if not NAME.fullmatch(name) or content is None or len(content) != 1 + KEY_BYTES or content[:1] != ED25519:
        raise LogFault("The verifier key is not an Ed25519 key.", "Give it as NAME+HASH+BASE64.")
    key = VerifierKey(name, content[1:])
    if stated != key.hash_for(name).hex():
        raise LogFault("The verifier key has the hash of another key.", "Copy it again, as a whole.")
    return key


def verify_checkpoint(note: str, key: VerifierKey) -> Checkpoint:
    """Return the checkpoint in a note that a key has signed (C2SP tlog-checkpoint).

    The origin is the name of the key; after a restore, that name and a number. Signatures by others are ignored.
    Raises LogFault if the note is malformed, is of another log, or lacks a valid signature.
    """
    text, separator, signatures = note.rpartition("\n\n")
    if not separator or not signatures.endswith("\n"):
        raise LogFault("The checkpoint is not a signed note.")
    origin = text.partition("\n")[0]
    if origin != key.name and not re.fullmatch(re.escape(key.name) + LATER, origin):
        raise LogFault("The checkpoint is of another log than the verifier key.")
    verify_signature(f"{text}\n", origin, signatures, key)
    try:
        _, size, root = text.split("\n")[:3]
        return Checkpoint(int(size), b64decode(root))
    except ValueError:
        raise LogFault("The checkpoint has the wrong lines.") from None


def verify_signature(signed: str, origin: str, signatures: str, key: VerifierKey) -> None:
    """Raise LogFault unless the signatures have a valid one of the key under its name in use."""
    for line in signatures[:-1].split("\n"):
        found = SIGNATURE.fullmatch(line)
        content = unbase64(found[2]) if found else None
        if found is None or content is None or len(content) <= HASH_BYTES:
            raise LogFault("The checkpoint has a malformed signature.")
        if found[1] == origin and content.startswith(key.hash_for(origin)):
            return check_signature(signed, content[HASH_BYTES:], key)
    raise LogFault("The checkpoint has no signature of the verifier key.")


def check_signature(signed: str, signature: bytes, key: VerifierKey) -> None:
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(signature, signed.encode())
    except (InvalidSignature, ValueError):
        raise LogFault("The signature of the checkpoint is wrong.") from None


def unbase64(text: str) -> bytes | None:
    """Return the bytes of standard base64 in its one form, or None."""
    try:
        content = b64decode(text, validate=True)
    except ValueError:
        return None
    return content if b64encode(content).decode() == text else None
