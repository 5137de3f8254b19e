"""Pasted texts as words of a search: the board takes any length, but the address of a call has a bound."""

from urllib.parse import quote

CHARACTERS = (1_000, 500)
"""The most that are sent: as many as the board uses, or fewer where each character takes many bytes."""
ADDRESS_BYTES = 6_000


def ends(text: str) -> str:
    """Return a text that fits into an address: the beginning and the end of one that is too long."""
    for most in CHARACTERS:
        if len(text) > most:
            text = f"{text[: most // 2]} {text[1 - most // 2 :]}"
        if len(quote(text, errors="replace")) <= ADDRESS_BYTES:
            break
    return text
