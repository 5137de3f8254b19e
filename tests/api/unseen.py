"""Characters that show nothing, from Unicode's own data rather than from the board's list."""

import sys
import unicodedata
from functools import cache

# Unicode 15.1, DerivedCoreProperties: Default_Ignorable_Code_Point
IGNORABLE = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
# format characters since Unicode 15, which is newer than the data of Python 3.11
FORMAT_SINCE_15 = range(0x13439, 0x13440)
# symbols, letters or marks of Unicode without a shape
EMPTY_SHAPES = "\u2800\ufffc\U00013440\U00013441\U00013442\U00016fe4\U0001d159"
# of the controls, the board takes only these and those after U+007E
REFUSED = {chr(number) for number in range(0x20)} - set("\t\n\r")


# the ignorable ones, those that are no characters in the middle of the Arabic forms, and those above
NUMBERS = {
    *(number for first, last in (*IGNORABLE, (0xFDD0, 0xFDEF)) for number in range(first, last + 1)),
    *FORMAT_SINCE_15,
    *map(ord, EMPTY_SHAPES),
}


def is_unseen(character: str) -> bool:
    """Whether a character shows nothing by itself."""
    number = ord(character)
    return (
        number in NUMBERS
        or number & 0xFFFE == 0xFFFE
        or unicodedata.category(character) in ("Cc", "Cf", "Zs", "Zl", "Zp")
    )


@cache
def every() -> list[str]:
    """Return all characters, once a process: it takes time that most processes of the tests need not spend."""
    return [chr(number) for number in range(sys.maxunicode + 1) if not 0xD800 <= number <= 0xDFFF]


@cache
def unseen() -> list[str]:
    """Return the characters that show nothing and are not refused."""
    return [character for character in every() if is_unseen(character) and character not in REFUSED]
