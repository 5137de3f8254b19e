"""The signature of a release, with the SSH key that git is configured to sign with.

`git config gpg.format ssh` and `git config user.signingkey FILE` choose it. Without both, a release is not signed.
"""

import subprocess
from pathlib import Path

from deploy.release.commit import git
from deploy.release.errors import ReleaseError

NAMESPACE = "agent-board"
"""The purpose in a signature (ssh-keygen -Y): one for another purpose does not count."""


def key_file(checkout: Path) -> Path | None:
    """Return the file of the key; None if git signs with no SSH key. Raises ReleaseError."""
    if git(checkout, "config", "--default", "", "gpg.format") != "ssh":
        return None
    named = git(checkout, "config", "--type=path", "--default", "", "user.signingkey")
    return Path(named) if named else None


def public_key(key: Path | None) -> str:
    """Return the type and the value of a public key; blank without a key. Raises ReleaseError."""
    if key is None:
        return ""
    public = key if key.suffix == ".pub" else key.with_name(f"{key.name}.pub")
    try:
        return " ".join(public.read_text(encoding="utf-8").split()[:2])
    except OSError as error:
        raise ReleaseError(f"The public key of user.signingkey cannot be read: {error}") from None


def sign(key: Path, file: Path) -> None:
    """Write the signature of a file next to it, as FILE.sig. Raises ReleaseError."""
    command = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(file)]
    file.with_name(f"{file.name}.sig").unlink(missing_ok=True)
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise ReleaseError("ssh-keygen is missing, which signs SHA256SUMS.") from None
    if done.returncode != 0:
        raise ReleaseError(f"ssh-keygen cannot sign {file.name}: {done.stderr.strip()}")
