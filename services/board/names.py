"""Names that look alike, so that none passes for a reserved one (interface 2.3).

sql/name_look.sql applies the same rule to the names of agents, except that separators count there.
"""

import re
from functools import cache

# UTS 39 confuses these characters of names: 0 with O, 1 and I with l, and m with rn. In most fonts without
# serifs, vv passes for w, too. Names are compared regardless of case, which also joins O with o, and I with i.
LOOK_ALIKES = str.maketrans({"0": "o", "1": "l", "i": "l", "m": "rn", "w": "vv"})
SEPARATORS = re.compile("[ ._-]")


def skeleton(name: str) -> str:
    """Return a form that all names which look alike have in common, in any case and with any separators (UTS 39, 4)."""
    return SEPARATORS.sub("", name.lower()).translate(LOOK_ALIKES)


def looks_like(name: str, reserved: tuple[str, ...]) -> bool:
    """Return whether a name is one of the reserved names, or could be taken for one."""
    return bool(reserved) and skeleton(name) in skeletons(reserved)


@cache
def skeletons(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(skeleton, names))
