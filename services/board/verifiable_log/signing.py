"""Signs the checkpoints of the verifiable log: C2SP signed-note and tlog-checkpoint, with Ed25519.

A restore that lost posts begins another generation of the log. It has an origin of its own and the same key.
"""

import base64

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from services.process.note_keys import ED25519, NoteKey, check_name, key_hash, read_key


def make_key(name: str) -> str:
    """Return a new private key as PRIVATE+KEY+NAME+HASH+KEY, in the form of Go's package note.

    `name` is that of the log, such as board.example/log (C2SP signed-note). Raises ValueError if it is empty or
    contains spaces or plus signs.
    """
    try:
        key = NoteKey(check_name(name), Ed25519PrivateKey.generate())
    except ValueError as wrong:
        raise ValueError(f"The key {wrong}.") from None
    seed = base64.b64encode(ED25519 + key.private.private_bytes_raw()).decode()
    return f"PRIVATE+KEY+{name}+{key_hash(name, key.public).hex()}+{seed}"


class Signer:
    """The key of a log, which signs its checkpoints."""

    def __init__(self, text: str) -> None:
        """Read a private key, as make_key returns it. Raises ValueError, whose sentence does not repeat the key."""
        try:
            self.key = read_key(text)
        except ValueError as wrong:
            raise ValueError(f"The private key {wrong}.") from None

    @property
    def name(self) -> str:
        return self.key.name

    def verifier_key(self, generation: int) -> str:
        """Return the verifier key of a generation, from 1 on: NAME+HASH+KEY (C2SP signed-note)."""
        origin, public = origin_of(self.name, generation), self.key.public
        return f"{origin}+{key_hash(origin, public).hex()}+{base64.b64encode(public).decode()}"

    def sign(self, generation: int, size: int, root: bytes) -> str:
        """Return the checkpoint of a tree with `size` entries and the hash `root`, as a signed note.

        The text is that of C2SP tlog-checkpoint, the signature that of C2SP signed-note.
        """
        origin = origin_of(self.name, generation)
        text = text_of(origin, size, root)
        signature = key_hash(origin, self.key.public) + self.key.private.sign(text.encode())
        return f"{text}\n\N{EM DASH} {origin} {base64.b64encode(signature).decode()}\n"


def is_checkpoint(note: str, verifier_key: str, generation: int, size: int, root: bytes) -> bool:
    """Return whether a signed note is the checkpoint of this tree by this key.

    `verifier_key` is that of the first generation, NAME+HASH+KEY (C2SP signed-note); the note is of `generation`.
    """
    name, _, encoded = verifier_key.split("+", 2)
    origin, public = origin_of(name, generation), base64.b64decode(encoded)
    text, _, signed = note.partition(f"\n\N{EM DASH} {origin} ")
    try:
        signature = base64.b64decode(signed)
        Ed25519PublicKey.from_public_bytes(public.removeprefix(ED25519)).verify(signature[4:], text.encode())
    except (ValueError, InvalidSignature):
        return False
    return signature[:4] == key_hash(origin, public) and text == text_of(origin, size, root)


def origin_of(name: str, generation: int) -> str:
    """Return the name under which a generation of a log signs, the origin of C2SP tlog-checkpoint."""
    return name if generation == 1 else f"{name}/{generation}"


def text_of(origin: str, size: int, root: bytes) -> str:
    """Return the text of a checkpoint (C2SP tlog-checkpoint)."""
    return f"{origin}\n{size}\n{base64.b64encode(root).decode()}\n"
