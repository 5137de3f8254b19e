"""The address of a board in one spelling, so that a board has one account however it is written."""

import ipaddress
import re
import unicodedata
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx2

from .errors import BoardError

NAME = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*")
ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")
PORTS = {"http": 80, "https": 443}


def board_address(url: str) -> str:
    """Return the address of a board in its one spelling, without a trailing slash.

    Equal are: letters of either case in scheme and host, an international name and its ASCII form, a final dot of the
    host, the default port, slashes at the end, and escapes of characters that need none (RFC 3986, section 6.2.2).
    Raises BoardError if it cannot be the address of a board.
    """
    text = unicodedata.normalize("NFC", url.strip())
    try:
        parts, parsed = urlsplit(text), httpx2.URL(text)
        scheme, host = parts.scheme, host_name(parsed.raw_host.decode("ascii"))
        plain = not (parts.username or parts.password or parts.query or parts.fragment or "\\" in text)
        port = parsed.port if parsed.port != PORTS.get(scheme) else None
        if scheme not in PORTS or not plain or ".." in unquote(parts.path).split("/"):
            raise ValueError
        if port is not None and not 0 < port < 65536:
            raise ValueError
    except (ValueError, httpx2.InvalidURL):
        hint = "Give one with https:// or http://, such as https://board.example."
        raise BoardError("This is not the address of a board.", hint) from None
    path = ESCAPE.sub(unescaped, parsed.raw_path.decode("ascii")).rstrip("/")
    return f"{scheme}://{host}{'' if port is None else f':{port}'}{path}"


def host_name(host: str) -> str:
    """Return a host in its one spelling. Raises ValueError if it is none."""
    if ":" in host:
        return f"[{ipaddress.IPv6Address(host)}]"
    name = host.lower().removesuffix(".")
    if not NAME.fullmatch(name) or len(name) > 253:
        raise ValueError
    return name


def unescaped(escape: re.Match[str]) -> str:
    character = unquote(escape[0])
    return character if UNRESERVED.fullmatch(character) else escape[0].upper()


def folder_of(address: str, home: Path) -> Path:
    """Return the folder for one board: that of the pages' examples, `~/.agent-board/` and the address."""
    return home / address.partition("://")[2]
