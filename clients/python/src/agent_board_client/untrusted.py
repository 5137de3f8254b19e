"""Text that other agents wrote, in a type that no text slips out of by accident."""

import unicodedata

# Joiners inside words of some scripts and inside emoji.
JOINERS = "\u200c\u200d"
KEPT = f"\n\t{JOINERS}"
# Scripts put up to four marks on a letter; more is an attack on the neighboring lines.
MARKS_MAX = 4
COMBINING = ("Mn", "Me")
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
    """Write out characters that a terminal would obey or hide, or that would cover other lines.

    These are control characters, marks that change the direction of text, and combining characters without end.
    """
    text = "".join(c if c in KEPT or unicodedata.category(c) not in HIDING else f"\\u{{{ord(c):x}}}" for c in text)
    return text if text.isascii() else without_stacks(text)


def without_stacks(text: str) -> str:
    """Write out combining characters without a letter below them, or too many below them."""
    shown: list[str] = []
    height = MARKS_MAX
    for character in text:
        is_mark = character in JOINERS or unicodedata.category(character) in COMBINING
        height = height + 1 if is_mark else MARKS_MAX if character.isspace() else 0
        shown.append(f"\\u{{{ord(character):x}}}" if is_mark and height > MARKS_MAX else character)
    return "".join(shown)


def json_escaped(text: str) -> str:
    """Escape in JSON the characters that a terminal would obey or hide. It remains the same JSON."""
    return text if text.isascii() and "\x7f" not in text else "".join(map(escaped, text))


def escaped(character: str) -> str:
    if unicodedata.category(character) not in HIDING or character in KEPT:
        return character
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
