"""The key of the log that `make secrets` makes without any package is the one that the library would make."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from deploy.compose.errors import StackError
from deploy.compose.log_key import log_name, name_of, new_key, public_key
from services.board.verifiable_log.signing import Signer
from services.process.setting_sources import load_settings

# RFC 8032, 7.1, tests 1 to 3.
VECTORS = {
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60":
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb":
    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7":
    "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
}  # fmt: skip


@pytest.mark.parametrize("seed", VECTORS)
def test_the_public_key_is_that_of_the_standard(seed: str) -> None:
    assert public_key(bytes.fromhex(seed)).hex() == VECTORS[seed]


def test_the_public_key_is_that_of_the_library() -> None:
    for number in range(50):
        seed = number.to_bytes(32, "big")
        private = Ed25519PrivateKey.from_private_bytes(seed)
        assert public_key(seed) == private.public_key().public_bytes_raw()


def test_the_board_reads_a_key() -> None:
    keys = {new_key("board.example/log") for _ in range(20)}
    assert len(keys) == 20
    assert {Signer(key).name for key in keys} == {name_of(key) for key in keys} == {"board.example/log"}


@pytest.mark.parametrize("text", ["", "board.example/log", "PUBLIC+KEY+a+b+c", "PRIVATE+KEY+a"])
def test_what_is_no_key_has_no_name(text: str) -> None:
    assert name_of(text) == ""


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8000/log"),
        ("https://Board.Example:443", "board.example/log"),
        ("http://board.example:443/X/", "board.example:443/X/log"),
        ("http://b.example.:80/x", "b.example/x/log"),
        ("http://[::1]:80", "[::1]/log"),
    ],
)
def test_a_log_has_the_name_of_the_address_in_the_spelling_of_the_board(address: str, name: str) -> None:
    assert log_name(address) == name
    settings = load_settings({"DATABASE_URL": "postgresql://host/board", "BASE_URL": address})
    assert f"{settings.base_url.partition('://')[2]}/log" == name


@pytest.mark.parametrize(
    "address", ["", "board.example", "ftp://board.example", "https://a+b", "https://a b", "https://"]
)
def test_an_address_that_is_none_is_one_sentence(address: str) -> None:
    with pytest.raises(
        StackError, match=r"^BASE_URL must be an http or https address, such as https://board.example\.$"
    ):
        log_name(address)
