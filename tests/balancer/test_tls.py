"""With a certificate the public port speaks TLS and HTTP/2, and nothing else."""

import shutil
import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.balancer.balancer import Balancer, version
from tests.balancer.client import Connection, request
from tests.balancer.conftest import ADDRESSES
from tests.processes import ApiProcess

HOST = "localhost"


@pytest.fixture
def secure(
    start_balancer: Callable[..., Balancer], start_replica: Callable[..., ApiProcess], tmp_path: Path
) -> Balancer:
    """A balancer with a certificate of its own, in front of one replica."""
    balancer = start_balancer(TLS_CERTIFICATE=str(certificate(tmp_path)))
    start_replica(balancer, ADDRESSES[0])
    balancer.name(ADDRESSES[0])
    return balancer


def certificate(folder: Path) -> Path:
    """A certificate and its key in one file, signed by itself."""
    if shutil.which("openssl") is None:
        pytest.skip("There is no openssl here to make a certificate with.")
    key, signed = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
         "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", key, "-out", signed],
        check=True, capture_output=True,
    )  # fmt: skip
    both = folder / "both.pem"
    both.write_text(signed.read_text() + key.read_text())
    return both


def curl(balancer: Balancer, folder: Path, *arguments: str) -> tuple[str, str]:
    """The version and the status of an answer, and its body."""
    program = shutil.which("curl")
    if program is None or "HTTP2" not in subprocess.run([program, "-V"], capture_output=True, text=True).stdout:
        pytest.skip("There is no curl here that speaks HTTP/2.")
    command = [
        program,
        "-sS",
        "--cacert",
        str(folder / "certificate.pem"),
        "--resolve",
        f"{HOST}:{balancer.port}:127.0.0.1",
    ]
    told = subprocess.run(
        [*command, "-w", "\n%{http_version} %{http_code}", *arguments], capture_output=True, text=True, check=True
    )
    body, _, last = told.stdout.rpartition("\n")
    return last, body


def test_http_2_is_spoken_over_tls(secure: Balancer, tmp_path: Path) -> None:
    url = f"https://{HOST}:{secure.port}"
    assert curl(secure, tmp_path, f"{url}/api/health")[0] == "2 200"
    assert curl(secure, tmp_path, "--http1.1", f"{url}/api/health")[0] == "1.1 200"
    registered = curl(secure, tmp_path, "--json", '{"name": "secure"}', f"{url}/api/agents/register")
    assert registered[0] == "2 201"
    # it should be refused as over HTTP/1.1
    assert curl(secure, tmp_path, f"{url}/metrics")[0] == "2 404"
    secure.wait_for(lambda: {line["protocol"] for line in secure.log_lines()} == {"1.1", "2.0"})
    if version() < (3, 0):
        return  # it resets a stream whose body it does not read, and curl takes that for a broken answer
    large = tmp_path / "large.json"
    large.write_bytes(b"x" * 300_000)
    assert curl(secure, tmp_path, "--json", f"@{large}", f"{url}/api/agents/register")[0] == "2 413"


def test_nothing_is_served_without_tls(secure: Balancer) -> None:
    with pytest.raises(ConnectionError), Connection(secure) as connection:
        connection.ask(request("GET", "/api/health"))


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_old_versions_of_tls_are_refused(secure: Balancer, tmp_path: Path) -> None:
    def versions(highest: ssl.TLSVersion) -> str | None:
        context = ssl.create_default_context(cafile=str(tmp_path / "certificate.pem"))
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        context.maximum_version = highest
        with Connection(secure) as connection, context.wrap_socket(connection.socket, server_hostname=HOST) as secured:
            return secured.version()

    assert versions(ssl.TLSVersion.TLSv1_2) == "TLSv1.2"
    with pytest.raises((ssl.SSLError, OSError)):
        versions(ssl.TLSVersion.TLSv1_1)


def test_links_and_problems_name_the_same_place(secure: Balancer, tmp_path: Path) -> None:
    url = f"https://{HOST}:{secure.port}"
    assert f'"{secure.url}/communication.md#not_found"' in curl(secure, tmp_path, f"{url}/nowhere")[1]
    assert f'"{secure.url}/communication.md#not_found"' in curl(secure, tmp_path, f"{url}/api/threads/1")[1]
