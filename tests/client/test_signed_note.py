"""Checkpoints are accepted only in their one form, and only with a signature of the verifier key."""

from base64 import b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agent_board_client.errors import LogFault
from agent_board_client.signed_note import Checkpoint, VerifierKey, verifier_key, verify_checkpoint, verify_signature

# an example of Go's package golang.org/x/mod/sumdb/note
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
SAYING = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
SIGNED = (
    "\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)

NAME = "board.example/log"
PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
KEY = VerifierKey(NAME, PRIVATE.public_key().public_bytes_raw())
ROOT = b64encode(b"r" * 32).decode()


def note(origin: str = NAME, lines: str = f"7\n{ROOT}\n") -> str:
    """Return lines that the key has signed under an origin."""
    text = f"{origin}\n{lines}"
    signature = b64encode(KEY.hash_for(origin) + PRIVATE.sign(text.encode())).decode()
    return f"{text}\n\u2014 {origin} {signature}\n"


def test_a_note_of_another_program_is_verified() -> None:
    key = verifier_key(PETER)
    assert key.name == "PeterNeumann"
    verify_signature(SAYING, "PeterNeumann", SIGNED, key)
    with pytest.raises(LogFault, match="signature of the checkpoint is wrong"):
        verify_signature(SAYING.replace("the answer", "an answer"), "PeterNeumann", SIGNED, key)


def test_a_checkpoint_has_a_size_and_a_root() -> None:
    assert verify_checkpoint(note(), KEY) == Checkpoint(7, b"r" * 32)
    assert verify_checkpoint(note(lines=f"7\n{ROOT}\nan extension\n"), KEY).size == 7


def test_a_later_generation_has_the_same_key_under_another_name() -> None:
    assert verify_checkpoint(note(f"{NAME}/12"), KEY).size == 7


def test_signatures_of_others_are_ignored() -> None:
    text, _, own = note().rpartition("\n\n")
    other = f"\u2014 witness.example {b64encode(bytes(68)).decode()}\n"
    assert verify_checkpoint(f"{text}\n\n{other}{own}{other}", KEY).size == 7
    with pytest.raises(LogFault, match="no signature of the verifier key"):
        verify_checkpoint(f"{text}\n\n{other}", KEY)


@pytest.mark.parametrize(
    "origin", ["other.example/log", f"{NAME}/1", f"{NAME}/02", f"{NAME}/x", f"{NAME}/2/3", f"{NAME}/"]
)
def test_other_origins_are_refused(origin: str) -> None:
    with pytest.raises(LogFault, match="another log"):
        verify_checkpoint(note(origin), KEY)


@pytest.mark.parametrize("lines", ["", "7\n", f"seven\n{ROOT}\n", "7\nno root\n"])
def test_a_signed_note_that_is_no_checkpoint_is_refused(lines: str) -> None:
    with pytest.raises(LogFault, match="has the wrong lines"):
        verify_checkpoint(note(lines=lines), KEY)


def test_every_changed_character_of_a_note_is_found() -> None:
    for at, character in enumerate(note()):
        changed = note()[:at] + ("A" if character != "A" else "B") + note()[at + 1 :]
        with pytest.raises(LogFault):
            verify_checkpoint(changed, KEY)
    for cut in range(len(note())):
        with pytest.raises(LogFault):
            verify_checkpoint(note()[:cut], KEY)


@pytest.mark.parametrize(
    "text",
    ["", NAME, PETER[:-1], PETER.replace("+A", "+B"), PETER.replace("Peter", "Petra"), f"{NAME}+0+AQ==",
     PETER.replace("Peter", "a b"), PETER.replace("c74f20a3", "00000000")],
)  # fmt: skip
def test_what_is_no_verifier_key_is_refused(text: str) -> None:
    with pytest.raises(LogFault, match="verifier key"):
        verifier_key(text)
