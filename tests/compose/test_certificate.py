"""`make doctor` compares the certificate that the port serves with the file in TLS_CERTIFICATE, and its last day."""

import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy.compose import certificate
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from services.local.ports import free_port
from tests.authority import Authority

DAY = 86400
# Those of the tests' authority are valid for one day.
EARLIER = time.time() - 30 * DAY


@contextmanager
def serving(file: Path) -> Iterator[int]:
    """A port that serves a certificate until the block is left."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)

        def answer() -> None:
            try:
                connection, _ = listener.accept()
                with connection, context.wrap_socket(connection, server_side=True) as secure:
                    secure.recv(1)
            except OSError:
                return  # the client has refused the certificate

        thread = threading.Thread(target=answer)
        thread.start()
        yield listener.getsockname()[1]
        thread.join()


def pem(folder: Path, authority: Authority, name: str, key: str = "ec") -> Path:
    """A file as HAProxy reads it: the certificate, that of the authority, and the key."""
    issued, private = authority.issue(name, "DNS:board.example", key=key)
    file = folder / f"{name}.pem"
    file.write_text(issued + authority.anchor + private)
    return file


def settings(file: Path | str, port: int) -> Configuration:
    return Configuration(
        {"TLS_CERTIFICATE": str(file), "BIND": "127.0.0.1", "PORT": str(port), "ENV_FILE": "/dev/null"}
    )


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def test_a_certificate_that_is_served_and_valid_for_weeks_is_well(tmp_path: Path, authority: Authority) -> None:
    file = pem(tmp_path, authority, "board")
    with serving(file) as port:
        assert list(certificate.check(settings(file, port), EARLIER)) == []
    assert list(certificate.check(settings("", free_port()), EARLIER)) == []


def test_a_certificate_that_expires_soon_is_reported(tmp_path: Path, authority: Authority) -> None:
    file = pem(tmp_path, authority, "board")
    with serving(file) as port:
        [said] = certificate.check(settings(file, port), time.time())
    assert re.match(r"The certificate in TLS_CERTIFICATE expires on 2\d{3}-\d\d-\d\d\. Renew it and reload it", said)


def test_an_rsa_key_is_reported_but_not_that_of_the_authority(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "rsa:2048")
    with serving(pem(tmp_path, authority, "small")) as port:
        assert list(certificate.check(settings(tmp_path / "small.pem", port), EARLIER)) == []
    with serving(pem(tmp_path, authority, "large", "rsa:2048")) as port:
        [reported] = certificate.check(settings(tmp_path / "large.pem", port), EARLIER)
    assert "has an RSA key" in reported


def test_a_renewed_certificate_that_is_not_served_yet_is_reported(tmp_path: Path, authority: Authority) -> None:
    file, renewed = pem(tmp_path, authority, "board"), pem(tmp_path, authority, "renewed")
    with (
        serving(file) as port,
        pytest.raises(StackError, match="does not serve the certificate in TLS_CERTIFICATE, or it is not valid"),
    ):
        list(certificate.check(settings(renewed, port), EARLIER))


def test_a_file_that_is_no_certificate_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="TLS_CERTIFICATE cannot be read: No such file"):
        list(certificate.check(settings(tmp_path / "nothing.pem", 1), EARLIER))
    (tmp_path / "empty.pem").touch()
    with pytest.raises(StackError, match="contains no certificate"):
        list(certificate.check(settings(tmp_path / "empty.pem", 1), EARLIER))
