"""The key of the verifiable log, made by `openssl`: `make secrets` needs no package of Python.

`agent-board log key` makes keys of the same form.
"""

import base64
import hashlib
import subprocess
from typing import Final

from deploy.compose.errors import StackError

ED25519: Final = b"\x01"
KEY_BYTES: Final = 32
"""Both keys are the last bytes of their DER (RFC 8410)."""


def new_key(name: str) -> str:
    """Return a private key with this name in the form of Go's package note: PRIVATE+KEY+NAME+HASH+KEY.

    Raises StackError.
    """
    pair = openssl("genpkey", "-algorithm", "ed25519", "-outform", "DER")
    public = openssl("pkey", "-inform", "DER", "-pubout", "-outform", "DER", given=pair)[-KEY_BYTES:]
    claimed = hashlib.sha256(name.encode() + b"\n" + ED25519 + public).hexdigest()[:8]
    return f"PRIVATE+KEY+{name}+{claimed}+{base64.b64encode(ED25519 + pair[-KEY_BYTES:]).decode()}"


def openssl(*arguments: str, given: bytes = b"") -> bytes:
    """Return what a command of OpenSSL prints. Raises StackError."""
    try:
        return subprocess.run(["openssl", *arguments], input=given, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        raise StackError("openssl makes the key of the verifiable log; install it, version 1.1.1 or newer.") from None
