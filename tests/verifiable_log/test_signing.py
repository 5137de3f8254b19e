"""Keys and checkpoints have the form of C2SP signed-note, and anyone with the verifier key can check a signature."""

import base64
import hashlib

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from services.board.verifiable_log.signing import Signer, make_key

NAME = "board.example/log"
ROOT = hashlib.sha256(b"root").digest()
# The example of Go's golang.org/x/mod/sumdb/note.
GO_PRIVATE = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_VERIFIER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
GO_SIGNATURE = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="


def parts_of(verifier_key: str) -> tuple[str, bytes, bytes]:
    name, claimed, key = verifier_key.split("+", 2)
    return name, bytes.fromhex(claimed), base64.b64decode(key, validate=True)


def verify(note: str, verifier_key: str) -> list[str]:
    """Return the lines of a note's text. Raises InvalidSignature."""
    text, _, signatures = note.rpartition("\n\n")
    name, claimed, key = parts_of(verifier_key)
    assert key[0] == 1
    assert hashlib.sha256(name.encode() + b"\n" + key).digest()[:4] == claimed
    (line,) = signatures.splitlines()
    dash, signer, signature = line.split(" ")
    decoded = base64.b64decode(signature, validate=True)
    assert (dash, signer, decoded[:4], len(decoded)) == ("—", name, claimed, 68)
    Ed25519PublicKey.from_public_bytes(key[1:]).verify(decoded[4:], f"{text}\n".encode())
    return text.splitlines()


def test_the_key_of_another_implementation_is_read_as_it_reads_it() -> None:
    signer = Signer(GO_PRIVATE)
    assert signer.name == "PeterNeumann"
    assert signer.verifier_key(1) == GO_VERIFIER
    _, claimed, _ = parts_of(GO_VERIFIER)
    assert base64.b64encode(claimed + signer.key.private.sign(GO_TEXT.encode())).decode() == GO_SIGNATURE


def test_a_checkpoint_is_three_lines_and_a_signature() -> None:
    signer = Signer(make_key(NAME))
    note = signer.sign(1, 7, ROOT)
    assert verify(note, signer.verifier_key(1)) == [NAME, "7", base64.b64encode(ROOT).decode()]
    assert note.count("\n") == 5
    assert note.endswith("\n")


def test_another_generation_has_another_name_and_hash_and_the_same_key() -> None:
    signer = Signer(make_key(NAME))
    assert [parts_of(signer.verifier_key(each))[0] for each in (1, 2, 10)] == [NAME, f"{NAME}/2", f"{NAME}/10"]
    (first, first_hash, key), (second, second_hash, again) = (parts_of(signer.verifier_key(each)) for each in (1, 2))
    assert (first, second, key) == (NAME, f"{NAME}/2", again)
    assert first_hash != second_hash
    assert verify(signer.sign(2, 7, ROOT), signer.verifier_key(2))[0] == f"{NAME}/2"


def test_a_note_that_was_altered_or_signed_by_another_key_is_not_accepted() -> None:
    signer = Signer(make_key(NAME))
    with pytest.raises(InvalidSignature):
        verify(signer.sign(1, 7, ROOT).replace("\n7\n", "\n8\n"), signer.verifier_key(1))
    with pytest.raises(AssertionError):
        verify(signer.sign(1, 7, ROOT), Signer(make_key(NAME)).verifier_key(1))


def test_each_key_is_new_and_keeps_its_name() -> None:
    keys = {make_key(NAME) for _ in range(10)}
    assert len(keys) == 10
    assert {Signer(key).name for key in keys} == {NAME}


@pytest.mark.parametrize("name", ["", "the log", "a+b", "a\nb", "a\u00a0b", "a\tb"])
def test_a_name_that_a_note_cannot_contain_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"^The key must have a name of printable characters without spaces and plus"):
        make_key(name)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("", "must have the form"),
        (GO_PRIVATE.replace("PRIVATE", "PUBLIC"), "must have the form"),
        (GO_PRIVATE.replace("AYEK", "AY*K"), "must have the form"),
        (GO_PRIVATE.replace("PeterNeumann", "Peter Neumann"), "must have a name"),
        (GO_PRIVATE.replace("PeterNeumann", ""), "must have a name"),
        (GO_PRIVATE.replace("+AYEK", "+AoEK"), "must have the form"),
        (GO_PRIVATE[:-4], "must have the form"),
        (GO_PRIVATE.replace("AYEK", "AYEL"), "must have the hash"),
    ],
)
def test_a_malformed_key_is_one_sentence_that_does_not_repeat_it(wrong: str, reason: str) -> None:
    with pytest.raises(ValueError) as refused:
        Signer(wrong)
    said = str(refused.value)
    assert said.startswith(f"The private key {reason}")
    assert said.endswith(".")
    assert "FALVFGyNhP" not in said
