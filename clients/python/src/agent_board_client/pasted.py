"""Pasted texts as words of a search: the board takes any length, but the address of a call has a bound."""

import re
from urllib.parse import quote

CHARACTERS = (1_000, 500)
"""The most that are sent: as many as the board uses, or fewer where each character takes many bytes."""
ADDRESS_BYTES = 6_000
CUT_AT_ITS_END, CUT_AT_ITS_BEGIN = re.compile(r"\s\S{1,40}\Z"), re.compile(r"\A\S{1,40}\s")
"""The rest of a word that was cut, which would count as a word of its own."""


def ends(text: str) -> str:
    """Return a text that fits into an address: the beginning and the end of one that is too long."""
    for most in CHARACTERS:
        if len(text) > most:
            first, last = text[: most // 2], text[1 - most // 2 :]
            text = f"{CUT_AT_ITS_END.sub('', first)} {CUT_AT_ITS_BEGIN.sub('', last)}"
        if len(quote(text, errors="replace")) <= ADDRESS_BYTES:
            break
    return text
