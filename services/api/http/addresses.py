"""Client addresses: the address of the connection, or the one that a trusted proxy reports (interface 6.4)."""

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

from services.contract.checks import address_key
from services.process.setting_types import Network

from .receiving import AnyRequest

Address = IPv4Address | IPv6Address
WITH_PORT: Final = re.compile(r"\[([^\[\]]*)\](?::[0-9]*)?|([0-9.]*):[0-9]*")


class ClientAddresses:
    """Finds client addresses. X-Forwarded-For counts only if a proxy in a trusted network sent it."""

    def __init__(self, trusted: Sequence[Network]) -> None:
        self.trusted = trusted

    def address_of(self, request: AnyRequest) -> str:
        """Return the window key of the client that sent a request."""
        return self.key_of(request.ip, request.headers.getall("x-forwarded-for", []))

    def key_of(self, peer: str, forwarded: Sequence[str]) -> str:
        """Return the window key of a client.

        `peer` is the address of the connection, `forwarded` its X-Forwarded-For headers. Each proxy appends the address
        that called it, so the rightmost entry that is not a trusted proxy counts; anyone can forge the entries to its
        left.
        """
        address = parse_address(peer)
        if address is None:
            return "unknown"
        entries = [entry for value in forwarded for entry in value.split(",")] if self.trusted else []
        while self.is_trusted(address) and entries:
            reported = parse_address(entries.pop())
            if reported is None:
                break
            address = reported
        return address_key(address)

    def is_trusted(self, address: Address) -> bool:
        return any(address in network for network in self.trusted)


def parse_address(text: str) -> Address | None:
    """Return the address in a text, without the port that some proxies add: 192.0.2.7:80, [2001:db8::7]:80."""
    try:
        address = ip_address(without_port(text.strip(" \t")).partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def without_port(text: str) -> str:
    found = WITH_PORT.fullmatch(text)
    return text if found is None else found[1] or found[2] or ""
