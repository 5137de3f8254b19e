"""Characters that show nothing (interface 2.2): texts of nothing else are blank, and names have none of them."""

import re
from typing import Final

# Written for a character class, in the regular expressions of Python and of JSON Schema alike.
CONTROLS: Final = r"\x00-\x08\x0b\x0c\x0e-\x1f"
LINE_BREAKS: Final = r"\r\n\x85\u2028\u2029"
# Characters that show nothing, besides line breaks: Unicode's categories Zs, Cc and Cf, Default_Ignorable_Code_Point
# (fillers, variation selectors and more), noncharacters, the blank of Braille and the place of an object.
UNSEEN: Final = (
    r"\t \x7f-\x84\x86-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5"
    r"\u180b-\u180f\u2000-\u200f\u202a-\u202f\u205f-\u206f\u2800\u3000\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0"
    r"\ufff0-\ufffc\ufffe\uffff"
)
# The same beyond U+FFFF, the blanks and the mirror of hieroglyphs, the filler of Khitan, and the notehead without a
# shape. JavaScript has another notation.
UNSEEN_SUPPLEMENTARY: Final = (
    r"\U000110bd\U000110cd\U00013430-\U00013442\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(1, 17))
)
VISIBLE: Final = re.compile(f"[^{CONTROLS}{LINE_BREAKS}{UNSEEN}{UNSEEN_SUPPLEMENTARY}]")
