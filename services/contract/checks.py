"""The messages between API processes and the limiter: lists of checks, and the verdicts on them.

Window keys are names of agents in one case, or addresses; both sides take their shapes from here.
"""

from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import Annotated

from msgspec import Meta, Struct

from .bounds import NAME_MAX
from .limits import QUOTA_MAX, WINDOW_MAX
from .names import key_of

CHECKS_MAX = 256
CHECK_PATH = "/check"
RELEASE_PATH = "/release"

Policy = Annotated[str, Meta(min_length=1, max_length=40, pattern=r"^[a-z_]+\Z")]
# A letter is compared as up to four.
WindowKey = Annotated[str, Meta(min_length=1, max_length=4 * NAME_MAX, pattern=r"^[^\x00-\x1f\x7fA-Z{}]+\Z")]
CheckId = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+\Z")]


class Check(Struct, frozen=True, gc=False, omit_defaults=True):
    """One call to count against a window.

    It is allowed if fewer than `quota` calls were counted in the last `window` seconds. A check repeated with its `id`
    while it counts is not counted twice, and by its `id` it can be released. Unknown fields are ignored: during an
    upgrade the other side may run another release.
    """

    policy: Policy
    key: WindowKey
    id: CheckId
    quota: Annotated[int, Meta(ge=1, le=QUOTA_MAX)]
    window: Annotated[int, Meta(ge=1, le=WINDOW_MAX)]


class Verdict(Struct, frozen=True, gc=False):
    """Whether a check was allowed and counted, and the state of its window afterwards.

    The tenth of 10 per 60 s, 20 s after the first: allowed, limit 10, window 60, remaining 0, reset_after 40 (then one
    more is free), retry_after 0. The eleventh: not allowed, retry_after 40. `repeated`: the check was counted before.
    Refused checks are not counted.
    """

    allowed: bool
    limit: int
    window: int
    remaining: int
    reset_after: float
    retry_after: float
    repeated: bool = False


def agent_key(name: str) -> str:
    """The key of an agent's windows: the form in which its name is unique, which never changes."""
    return key_of(name)


def address_key(address: IPv4Address | IPv6Address) -> str:
    """The key of a client address's windows: 192.0.2.7, or for IPv6, of which a client has many, 2001:db8:0:1::/64."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is None:
            return str(IPv6Network((int(address), 64), strict=False))
        address = address.ipv4_mapped
    return str(address)
