"""HAProxy accepts what production gives it: variables, name servers, a certificate of cert-manager, and its renewal."""

import re
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.compose.haproxy_files import FOLDER as HAPROXY
from tests.balancer.balancer import SECONDS, Balancer, program
from tests.k8s.conftest import Rendered
from tests.k8s.rendering import Manifest, containers, environment, named, pod
from tests.programs import needs

NAMESPACE = "agent-board"


class BalancerOfPod(Balancer):
    """HAProxy as the container of the manifest runs it, with a pause of 0.1 s between two looks at the certificate."""

    def __init__(self, folder: Path, script: str, **variables: str) -> None:
        super().__init__(folder, **variables)
        self.script = script.replace("/usr/local/etc/haproxy/haproxy.cfg", str(self.configuration))

    @property
    def command(self) -> list[str]:
        return ["sh", "-c", self.script.replace("sleep 30", "sleep 0.1")]

    def __exit__(self, *_: object) -> None:
        assert self.process is not None
        self.process.terminate()
        self.process.wait(10)
        super().__exit__()

    def certificate(self) -> str:
        """Return the certificate that a client is shown."""
        return ssl.get_server_certificate(("127.0.0.1", self.port))


def test_haproxy_leads_to_the_mcp_server_under_its_whole_name(rendered: Rendered) -> None:
    manifests = rendered("components/mcp")
    assert variables(manifests)["MCP_HOST"] == f"mcp.{NAMESPACE}.svc.cluster.local"
    # Kubernetes expands only the variables above
    names = [each["name"] for each in containers(named(manifests, "Deployment", "haproxy"))[0]["env"]]
    assert names.index("NAMESPACE") < names.index("MCP_HOST")


@pytest.fixture
def secret(tmp_path: Path) -> dict[str, str]:
    """The content of a Secret of type kubernetes.io/tls."""
    return new_secret(tmp_path)


@pytest.fixture
def pod_balancer(rendered: Rendered, secret: dict[str, str], tmp_path: Path) -> Iterator[BalancerOfPod]:
    """HAProxy of production, without an API process."""
    program()
    manifests = rendered("overlays/production")
    script = containers(named(manifests, "Deployment", "haproxy"))[0]["command"][2]
    certificate = mount(manifests, secret, tmp_path)["TLS_CERTIFICATE"]
    with BalancerOfPod(tmp_path / "balancer", script, TLS_CERTIFICATE=certificate) as balancer:
        yield balancer


def new_secret(tmp_path: Path) -> dict[str, str]:
    files = {"tls.crt": tmp_path / "crt", "tls.key": tmp_path / "key"}
    command = [needs("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    subject = ["-days", "1", "-subj", "/CN=board.example"]
    written = ["-out", str(files["tls.crt"]), "-keyout", str(files["tls.key"])]
    subprocess.run([*command, *subject, *written], check=True, capture_output=True)
    return {key: path.read_text() for key, path in files.items()}


def variables(manifests: list[Manifest]) -> dict[str, str]:
    """Return HAProxy's variables as the kubelet expands them."""
    given = environment(named(manifests, "Deployment", "haproxy"), manifests) | {"NAMESPACE": NAMESPACE}
    return {name: re.sub(r"\$\((\w+)\)", lambda found: given[found[1]], value) for name, value in given.items()}


def mount(manifests: list[Manifest], secret: dict[str, str], folder: Path) -> dict[str, str]:
    """Write the files of /run/secrets to a folder, and return HAProxy's variables with their paths there."""
    haproxy = named(manifests, "Deployment", "haproxy")
    (name,) = (each["name"] for each in containers(haproxy)[0]["volumeMounts"] if each["mountPath"] == "/run/secrets")
    (volume,) = (each["secret"] for each in pod(haproxy)["spec"]["volumes"] if each["name"] == name)
    for item in volume["items"]:
        (folder / item["path"]).write_text(secret[item["key"]])
    return {name: value.replace("/run/secrets", str(folder)) for name, value in variables(manifests).items()}


def accepts(variables: dict[str, str]) -> bool:
    command = [needs("haproxy"), "-c", "-f", str(HAPROXY / "haproxy.cfg")]
    return subprocess.run(command, env=variables, capture_output=True, check=False).returncode == 0


def test_production_is_accepted_and_serves_tls(rendered: Rendered, secret: dict[str, str], tmp_path: Path) -> None:
    given = mount(rendered("overlays/production"), secret, tmp_path)
    assert given["API_HOST"] == f"api.{NAMESPACE}.svc.cluster.local"
    assert accepts(given)
    # without the key, the certificate is of no use
    Path(f"{given['TLS_CERTIFICATE']}.key").unlink()
    assert not accepts(given)


def test_a_renewed_certificate_is_shown_without_a_restart(
    pod_balancer: BalancerOfPod, rendered: Rendered, secret: dict[str, str], tmp_path: Path
) -> None:
    assert pod_balancer.certificate() == secret["tls.crt"]
    renewed = new_secret(tmp_path)
    mount(rendered("overlays/production"), renewed, tmp_path)
    pod_balancer.wait_for(lambda: pod_balancer.certificate() == renewed["tls.crt"])


def test_a_request_in_flight_is_completed_after_sigterm(pod_balancer: BalancerOfPod) -> None:
    unverified = ssl.create_default_context()
    unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE
    plain = socket.create_connection(("127.0.0.1", pod_balancer.port), timeout=SECONDS)
    with unverified.wrap_socket(plain) as client:
        client.sendall(b"GET /api/threads HTTP/1.1\r\n")
        assert pod_balancer.process is not None
        pod_balancer.process.terminate()
        # it should no longer accept connections
        pod_balancer.wait_for(lambda: not pod_balancer.metrics())
        time.sleep(2.5)  # the signal is sent again
        client.sendall(b"Host: board.example\r\n\r\n")
        # no API process is there
        with client.makefile("rb") as answer:
            assert answer.read().startswith(b"HTTP/1.1 503")
    # HAProxy has ended by itself, or because the signal came once more while it ended
    assert pod_balancer.process.wait(SECONDS) in (0, 128 + signal.SIGUSR1)
