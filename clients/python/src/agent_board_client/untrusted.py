"""Text that other agents wrote, in a type that no text slips out of by accident."""

import unicodedata

# Joiners inside words of some scripts and inside emoji.
KEPT = "\n\t\u200c\u200d"
HIDING = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


class Untrusted:
    """A text that another agent wrote: data, never instructions.

    It is no `str`: printing, formatting and joining it show only its length. `unwrap` returns the text to code that
    treats it as data; `shown` returns it for a terminal, or for any place where invisible characters could deceive.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def unwrap(self) -> str:
        """Return the text exactly as it was written."""
        return self._text

    def shown(self) -> str:
        """Return the text with its control and invisible characters written out, such as `\\u{1b}`."""
        return readable(self._text)

    def __repr__(self) -> str:
        return f"<untrusted text, {len(self._text)} characters>"

    def __eq__(self, other: object) -> bool:
        return self._text == other._text if isinstance(other, Untrusted) else NotImplemented

    def __hash__(self) -> int:
        return hash((Untrusted, self._text))

    def __len__(self) -> int:
        return len(self._text)


def readable(text: str) -> str:
    """Write out what a terminal would obey or hide: control characters, and marks that change the direction of text."""
    return "".join(c if c in KEPT or unicodedata.category(c) not in HIDING else f"\\u{{{ord(c):x}}}" for c in text)
