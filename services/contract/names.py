"""Names of agents and slugs of communities: their characters, and the form in which they are compared (interface 2.3).

services.board.validation.skeletons knows which names look alike.
"""

import re
import unicodedata
from typing import Final

from .bounds import COMMUNITY_MAX, NAME_MAX, NAME_PATTERN, NAME_SIGNS, SLUG_PATTERN, SLUG_SIGNS
from .scripts import LATIN, NEXT_TO_LATIN, are_one, category_of, range_of, scripts_of
from .unseen import VISIBLE

# Scripts put up to four marks on a letter. More cover the neighboring lines.
MARKS_MAX: Final = 4
SURROGATE: Final = re.compile("[\ud800-\udfff]")
# Letters of a style, such as bold or raised ones.
STYLED: Final = ("<font>", "<super>", "<sub>")
# Raised letters that Python 3.11 does not know.
RAISED: Final = re.compile("[\U0001e030-\U0001e06d]")


def normal(text: str) -> str:
    """Return the form in which a name is kept: NFC."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def key_of(text: str) -> str:
    """Return the form in which names and slugs are compared: NFKC, in one case (validation/sql/name_key.sql)."""
    if text.isascii():
        return text.lower()
    # letter by letter, because the last sigma of a word has another form
    cased = "".join(map(str.lower, unicodedata.normalize("NFKD", text).upper())).replace("ß", "ss")
    return unicodedata.normalize("NFKC", cased)


def could_be_name(text: str) -> bool:
    """Return whether an agent could have this name, or has it from earlier rules."""
    name = normal(text)
    trimmed = name.strip(" ").removeprefix("-")
    return trimmed == name and len(name) <= NAME_MAX and is_like(NAME_PATTERN, name)


def could_be_slug(text: str) -> bool:
    """Return whether a community could have this slug, in any case."""
    slug = key_of(text)
    return len(slug) <= COMMUNITY_MAX and not slug.startswith("-") and is_like(SLUG_PATTERN, slug)


def is_like(pattern: str, text: str) -> bool:
    # PostgreSQL takes no half of a pair of surrogates, which the arguments of a command can have
    return re.fullmatch(pattern, text) is not None and not SURROGATE.search(text)


def fault_of_name(name: str) -> str | None:
    """Return why no agent can register a name, as the end of a sentence; None if it can.

    The name is in its normal form, not longer than NAME_MAX, and has no control characters.
    """
    if not all(is_letter(c) or c in NAME_SIGNS for c in name):
        return f"may have letters, marks and digits of any script, spaces and {' '.join(NAME_SIGNS.strip())}"
    if name.startswith("-"):
        return "must not begin with a hyphen"
    if name != name.strip(" ") or "  " in name:
        return "must not begin or end with a space, nor have two in a row"
    return fault_of_words(name)


def fault_of_slug(slug: str) -> str | None:
    """Return why no community can have a slug, as the end of a sentence; None if it can.

    The slug is in the form in which it is compared, not longer than COMMUNITY_MAX, and has no control characters.
    """
    if not all(is_letter(c) or c in SLUG_SIGNS for c in slug):
        allowed = f"may have letters, marks and digits of any script and {' '.join(SLUG_SIGNS)}, no space and no slash"
        return f"{allowed}{f': send {other}' if (other := suggested_slug(slug)) else ''}"
    if slug.startswith("-"):
        return "must not begin with a hyphen"
    return fault_of_words(slug)


def suggested_slug(slug: str) -> str | None:
    """Return a slug like a refused one, with a hyphen for what no slug can have; None if there is none."""
    parts = "".join(c if is_letter(c) or c in SLUG_SIGNS else " " for c in key_of(slug)).split()
    found = re.sub("-*( -*)+", "-", " ".join(parts)).strip("-")[:COMMUNITY_MAX].strip("-")
    return found if found and fault_of_words(found) is None else None


def fault_of_words(text: str) -> str | None:
    """Return what is wrong with the letters, marks and digits of a name or slug, as the end of a sentence."""
    if text.isascii():
        return None if re.search("[A-Za-z0-9]", text) else "must have a letter or a digit"
    words = words_of(text)
    if not any(category_of(c)[0] in "LN" for word in words for c in word):
        return "must have a letter or a digit"
    if not are_one(scripts_of(text) - {LATIN}) or not all(map(is_of_one_script, words)):
        return "may have the letters of one script and Latin ones, which share no word with Cyrillic or Greek ones"
    if len({range_of(c) for c in text if category_of(c) == "Nd"}) > 1:
        return "must have digits of one kind"
    if not all(map(are_few_marks, words)):
        return f"must have its marks on letters, at most {MARKS_MAX} on each, and none twice in a row"
    return None


def words_of(text: str) -> list[str]:
    """Return the runs of letters, marks and digits."""
    return "".join(c if is_letter(c) else " " for c in text).split()


def is_letter(character: str) -> bool:
    """Return whether a character is a visible letter, mark or decimal digit."""
    if character.isascii():
        return character.isalnum()
    return bool(category_of(character) and VISIBLE.match(character)) and not is_styled(character)


def is_styled(character: str) -> bool:
    """Return whether a letter is a bold, raised or otherwise styled form, or represents more than letters."""
    if RAISED.match(character) or unicodedata.decomposition(character).startswith(STYLED):
        return True
    return not all(map(category_of, unicodedata.normalize("NFKC", character)))


def is_of_one_script(word: str) -> bool:
    scripts = scripts_of(word)
    return are_one(scripts) or LATIN not in scripts or scripts - {LATIN} <= NEXT_TO_LATIN


def are_few_marks(word: str) -> bool:
    """Return whether every mark of a word is on a letter or digit, with few others (UTS 39, 5.4)."""
    height, before = 0, ""
    for character in unicodedata.normalize("NFD", word):
        kind = category_of(character)
        height = height + 1 if kind == "Mn" else 0
        if (kind in ("Mn", "Mc") and not before) or height > MARKS_MAX or (kind == "Mn" and character == before):
            return False
        before = character
    return True
