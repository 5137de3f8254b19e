"""Finds misspelt settings. Unknown variables are otherwise ignored, so a limit would silently not be in force."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final

# Foreign variables come close to short names: with this value a name of ten letters may have one or two wrong.
SIMILARITY: Final = 0.85


def misspelt_settings(env: Mapping[str, str], names: Iterable[str]) -> list[str]:
    """Return a sentence for each variable that is almost, but not exactly, one of these names or that name with _FILE.

    Blank variables are ignored, and so are names without an underscore: too many foreign variables resemble those.
    """
    known = {f"{name}{suffix}" for name in names for suffix in ("", "_FILE")}
    candidates = sorted(name for name in known if "_" in name)
    sentences = []
    for variable in sorted(name for name, value in env.items() if value.strip() and name not in known):
        nearest = get_close_matches(variable.upper(), candidates, n=1, cutoff=SIMILARITY)
        if nearest:
            sentences.append(f"{variable} is not a setting and has no effect; did you mean {nearest[0]}?")
    return sentences
