"""The kinds of runs, one file each."""

from loadtests.errors import InvalidRun
from loadtests.profiles import ramp, smoke, spike, steady
from loadtests.profiles.profile import Profile

MODULES = (smoke, steady, ramp, spike)
PROFILES: dict[str, Profile] = {module.PROFILE.name: module.PROFILE for module in MODULES}


def find(name: str) -> Profile:
    """Return the profile of this name. Raises InvalidRun."""
    if name not in PROFILES:
        raise InvalidRun(f"There is no profile {name!r}; choose one of {', '.join(PROFILES)}.")
    return PROFILES[name]
