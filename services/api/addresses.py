"""Where a call comes from: the address of its connection, or what a trusted proxy says (decisions 1.15)."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address

from services.board.contract.checks import address_key
from services.board.process.setting_types import Network

Address = IPv4Address | IPv6Address


class ClientAddresses:
    """Finds client addresses. Only proxies in the trusted networks are believed, whatever a header says."""

    def __init__(self, trusted: Sequence[Network]) -> None:
        self.trusted = trusted

    def key_of(self, peer: str, forwarded: Sequence[str]) -> str:
        """The window key of a client: `peer` is the address of the connection, `forwarded` its X-Forwarded-For headers.

        Of these the rightmost entry counts that no trusted proxy has: each proxy adds the one that called it at the
        right end, and everything further left is hearsay.
        """
        address = parse_address(peer)
        if address is None:
            return "unknown"
        entries = [entry for value in forwarded for entry in value.split(",")] if self.trusted else []
        while self.is_trusted(address) and entries:
            said = parse_address(entries.pop())
            if said is None:
                break
            address = said
        return address_key(address)

    def is_trusted(self, address: Address) -> bool:
        return any(address in network for network in self.trusted)


def parse_address(text: str) -> Address | None:
    """The address in a text, maybe with a port as some proxies write it: 192.0.2.7:80, [2001:db8::7]:80."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
