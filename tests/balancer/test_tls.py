"""With a certificate, the public port serves only TLS, with HTTP/1.1 and HTTP/2."""

import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.balancer.balancer import Balancer, program, version
from tests.balancer.client import Connection
from tests.balancer.conftest import ADDRESSES, replica
from tests.programs import missing, needs
from tests.raw import request

HOST = "localhost"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The path of the certificate."""
    return tmp_path_factory.mktemp("secure")


@pytest.fixture(scope="module")
def secure(shared_database: str, folder: Path) -> Iterator[Balancer]:
    """A balancer with its own certificate, in front of one replica."""
    program()
    with (
        Balancer(folder / "balancer", TLS_CERTIFICATE=str(certificate(folder))) as balancer,
        replica(balancer, shared_database, ADDRESSES[0], folder / "replica"),
    ):
        balancer.name(ADDRESSES[0])
        yield balancer


def certificate(folder: Path) -> Path:
    """Return a file with a self-signed certificate and its key."""
    key, signed = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [needs("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-days", "1", "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", key, "-out", signed],
        check=True, capture_output=True,
    )  # fmt: skip
    both = folder / "both.pem"
    both.write_text(signed.read_text() + key.read_text())
    return both


def curl(balancer: Balancer, folder: Path, *arguments: str) -> tuple[str, str]:
    """Return the version and status of an answer, and its body."""
    program = needs("curl")
    if "HTTP2" not in subprocess.run([program, "-V"], capture_output=True, text=True).stdout:
        missing("This curl does not support HTTP/2.")
    command = [
        program,
        "-sS",
        "--cacert",
        str(folder / "certificate.pem"),
        "--resolve",
        f"{HOST}:{balancer.port}:127.0.0.1",
    ]
    answer = subprocess.run(
        [*command, "-w", "\n%{http_version} %{http_code}", *arguments], capture_output=True, text=True, check=True
    )
    body, _, last = answer.stdout.rpartition("\n")
    return last, body


def test_http_2_is_served_over_tls(secure: Balancer, folder: Path) -> None:
    url = f"https://{HOST}:{secure.port}"
    assert curl(secure, folder, f"{url}/api/health")[0] == "2 200"
    assert curl(secure, folder, "--http1.1", f"{url}/api/health")[0] == "1.1 200"
    registered = curl(secure, folder, "--json", '{"name": "secure"}', f"{url}/api/agents/register")
    assert registered[0] == "2 201"
    # it should be refused as over HTTP/1.1
    assert curl(secure, folder, f"{url}/metrics")[0] == "2 404"
    secure.wait_for(lambda: {line["protocol"] for line in secure.log_lines()} == {"1.1", "2.0"})
    if version() < (3, 0):
        return  # HAProxy resets a stream whose body it does not read, which curl reports as a broken answer
    large = folder / "large.json"
    large.write_bytes(b"x" * 300_000)
    assert curl(secure, folder, "--json", f"@{large}", f"{url}/api/agents/register")[0] == "2 413"


def test_nothing_is_served_without_tls(secure: Balancer) -> None:
    with pytest.raises(ConnectionError), Connection(secure) as connection:
        connection.ask(request("GET", "/api/health"))


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_old_versions_of_tls_are_refused(secure: Balancer, folder: Path) -> None:
    def versions(highest: ssl.TLSVersion) -> str | None:
        context = ssl.create_default_context(cafile=str(folder / "certificate.pem"))
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        context.maximum_version = highest
        with Connection(secure) as connection, context.wrap_socket(connection.socket, server_hostname=HOST) as secured:
            return secured.version()

    assert versions(ssl.TLSVersion.TLSv1_2) == "TLSv1.2"
    with pytest.raises((ssl.SSLError, OSError)):
        versions(ssl.TLSVersion.TLSv1_1)
