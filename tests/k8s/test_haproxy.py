"""HAProxy accepts what production gives it: variables, the name servers of the pod, a certificate of cert-manager."""

import re
import subprocess
from pathlib import Path

import pytest

from deploy.compose.haproxy_files import FOLDER as HAPROXY
from tests.k8s.conftest import Rendered
from tests.k8s.rendering import Manifest, containers, environment, named, pod
from tests.programs import needs

NAMESPACE = "agent-board"


@pytest.fixture
def secret(tmp_path: Path) -> dict[str, str]:
    """The content of a Secret of type kubernetes.io/tls."""
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


def test_the_variables_of_a_gateway_are_accepted(rendered: Rendered) -> None:
    given = variables(rendered("components/gateway"))
    assert given["PROXY_PROTOCOL"]
    assert accepts(given)
