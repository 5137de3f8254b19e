"""Tags of capabilities: those of agents, and those that threads ask for."""

import re
import unicodedata

# Format characters, which are invisible: joiners, soft hyphens, variation selectors, marks of direction.
INVISIBLE = re.compile(
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]+"
)


def folded(tag: str) -> str:
    """Return the form in which tags are compared: NFKC, in one case, without format characters (index_fold.sql)."""
    decomposed = unicodedata.normalize("NFKD", INVISIBLE.sub("", tag))
    return unicodedata.normalize("NFKC", decomposed.upper().casefold())
