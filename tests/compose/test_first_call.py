"""The address at which this machine itself reaches the board."""

import pytest

from deploy.compose.configuration import Configuration
from deploy.compose.running import local_url
from deploy.compose.starting import misnamed


@pytest.mark.parametrize(
    ("variables", "url"),
    [
        ({}, "http://127.0.0.1:8000"),
        ({"BIND": "192.0.2.1", "PORT": "80"}, "http://192.0.2.1:80"),
        ({"BIND": "::1"}, "http://[::1]:8000"),
        ({"TLS_CERTIFICATE": "/etc/board.pem", "PORT": "443"}, "https://127.0.0.1:443"),
    ],
)
def test_the_address_follows_the_settings(variables: dict[str, str], url: str) -> None:
    assert local_url(Configuration({"ENV_FILE": "/nowhere", **variables})) == url


@pytest.mark.parametrize(
    ("variables", "warned"),
    [
        ({}, False),
        ({"PORT": "8001"}, True),
        ({"PORT": "8001", "BASE_URL": "http://localhost:8001"}, False),
        ({"PORT": "80", "BASE_URL": "http://127.0.0.1"}, False),
        # behind a proxy, the two differ
        ({"PORT": "8001", "BASE_URL": "https://board.example"}, False),
    ],
)
def test_a_base_url_with_another_port_of_this_machine_is_reported(variables: dict[str, str], warned: bool) -> None:
    said = misnamed(Configuration({"ENV_FILE": "/nowhere", **variables}))
    assert ("the board listens on port 8001" in said) == warned
