"""A call's address: only trusted proxies are believed, and only the rightmost untrusted address in their header."""

import pytest

from services.api.http.addresses import ClientAddresses
from services.process.setting_sources import load_settings
from services.process.variables import SettingsError
from tests.cases import for_each

DATABASE = {"DATABASE_URL": "postgresql://h/db"}


def key_of(peer: str, *forwarded: str, trusted: str | None = None) -> str:
    networks = load_settings(DATABASE | ({"TRUSTED_PROXIES": trusted} if trusted else {})).trusted_proxies
    return ClientAddresses(networks).key_of(peer, forwarded)


PROXIES = "10.0.0.0/8,192.168.1.1, fd00::/8"


@for_each(
    "peer, forwarded, key",
    [
        # no trusted proxy: the header is ignored
        ("203.0.113.9", [], "203.0.113.9"),
        ("203.0.113.9", ["192.0.2.7"], "203.0.113.9"),
        # one proxy, and a client that forges the left end
        ("10.0.0.1", ["192.0.2.7"], "192.0.2.7"),
        ("10.0.0.1", ["198.51.100.1, 192.0.2.7"], "192.0.2.7"),
        ("10.0.0.1", ["198.51.100.1", "192.0.2.7"], "192.0.2.7"),
        ("192.168.1.2", ["192.0.2.7"], "192.168.1.2"),
        ("fd00::1", ["192.0.2.7"], "192.0.2.7"),
        # several proxies
        ("10.0.0.1", ["192.0.2.7, 10.0.0.3,10.0.0.2"], "192.0.2.7"),
        # only proxies: the one that is farthest away
        ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", [], "10.0.0.1"),
        # an entry that is not an address is replaced by the address of the proxy that added it
        ("10.0.0.1", ["192.0.2.7, unknown"], "10.0.0.1"),
        ("10.0.0.1", ["192.0.2.7, rubbish, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", ["192.0.2.300"], "10.0.0.1"),
        ("10.0.0.1", ["192.0.2.07"], "10.0.0.1"),
        ("10.0.0.1", ["192.0.2.7:evil.example"], "10.0.0.1"),
        ("10.0.0.1", ["[2001:db8::7]evil.example"], "10.0.0.1"),
        ("10.0.0.1", ["192.0.2.7\u00a0"], "10.0.0.1"),
        # white space, ports, brackets, zones, mapped addresses
        ("10.0.0.1", ["\t192.0.2.7\t, \t10.0.0.2 \t"], "192.0.2.7"),
        ("10.0.0.1", ["192.0.2.7:"], "192.0.2.7"),
        ("10.0.0.1", ["[2001:db8::7%eth0]:4711"], "2001:db8::/64"),
        ("10.0.0.1", ["[2001:db8::7]"], "2001:db8::/64"),
        ("10.0.0.1", ["192.0.2.7:4711"], "192.0.2.7"),
        ("10.0.0.1", ["2001:db8::7"], "2001:db8::/64"),
        ("::ffff:10.0.0.1", ["192.0.2.7"], "192.0.2.7"),
        ("10.0.0.1", ["::ffff:192.0.2.7"], "192.0.2.7"),
        ("fe80::1%eth0", [], "fe80::/64"),
        # a connection without an address
        ("", ["192.0.2.7"], "unknown"),
    ],
)
def test_the_address_of_a_client(peer: str, forwarded: list[str], key: str) -> None:
    assert key_of(peer, *forwarded, trusted=PROXIES) == key


def test_without_trusted_proxies_no_header_is_read() -> None:
    assert key_of("10.0.0.1", "192.0.2.7") == "10.0.0.1"


@pytest.mark.parametrize("value", ["10.0.0.1/8", "proxy.example", "10.0.0.0/33", "10.0.0.0/8;fd00::/8", "*"])
def test_networks_that_are_none_stop_the_start(value: str) -> None:
    with pytest.raises(SettingsError, match=r"^TRUSTED_PROXIES must be networks separated by commas"):
        load_settings({**DATABASE, "TRUSTED_PROXIES": value})
