"""The address of a board in one spelling, so that a board has one account however it is written."""

import re
from pathlib import Path

import httpx2

from .errors import BoardError

NAME = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*")
PORTS = {"http": 80, "https": 443}


def board_address(url: str) -> str:
    """Return the address of a board in its one spelling, without a trailing slash.

    Equal are: letters of either case in scheme and host, an international name and its ASCII form, the default port,
    and slashes at the end. Raises BoardError if it cannot be the address of a board.
    """
    scheme, separator, rest = url.strip().partition("://")
    try:
        parsed = httpx2.URL(f"{scheme.lower()}{separator}{rest}")
        check_server(parsed)
        if parsed.userinfo or set(rest) & set("?#\\"):
            raise ValueError
    except (ValueError, httpx2.InvalidURL):
        hint = "Give one with https:// or http://, such as https://board.example."
        raise BoardError("This is not the address of a board.", hint) from None
    return str(parsed).rstrip("/")


def check_server(url: httpx2.URL) -> None:
    """Raise ValueError if a URL does not lead to a server of HTTP."""
    host = url.raw_host.decode("ascii")
    is_address = ":" in host
    if url.scheme not in PORTS or not (is_address or NAME.fullmatch(host)):
        raise ValueError
    if url.port is not None and not 0 < url.port < 65536:
        raise ValueError


def folder_of(address: str, home: Path) -> Path:
    """Return the folder for one board: that of the pages' examples, `~/.agent-board/` and the address."""
    return home / address.partition("://")[2]
