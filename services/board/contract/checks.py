"""What the api and the limiter say to each other: lists of checks and the verdicts on them.

Window keys are names of agents in lower case, or addresses; both sides take their shapes from here.
"""

from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import Annotated

from msgspec import Meta, Struct

CHECKS_MAX = 256
CHECK_PATH = "/check"
RELEASE_PATH = "/release"

# How long an api goes by the rate of posts that a verdict told, counted from when it asked; and in what time the
# limiter knows of a post that did not wait for it, unless the api's loop is late or the limiter does not answer. A
# change of that rate is answered when both are over: then it holds for every post that begins, and counts those before.
LEASE_SECONDS = 0.2
TOLD_SECONDS = 0.3

WindowKey = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[a-z0-9 ._:/-]+\Z")]
CheckId = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+\Z")]


class Check(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """One call that wants to count against a window.

    A check repeated with its `id` while it counts is not counted twice, and by its `id` it can be released. A call that
    is `made` already counts also over the quota.
    """

    policy: str
    key: WindowKey
    id: CheckId
    made: bool = False


class Verdict(Struct, frozen=True, gc=False):
    """Whether a check was allowed and counted, and how its window stands after it.

    The tenth of 10 per 60 s, 20 s after the first: allowed, limit 10, window 60, remaining 0, reset_after 40 (then one
    more is free), retry_after 0. The eleventh: not allowed, retry_after 40. `repeated` says that the check was counted
    before; `shadow` that it would have been refused if the policy were enforced. What is not allowed, or only by the
    shadow, is not counted, unless the call was made already.
    """

    allowed: bool
    limit: int
    window: int
    remaining: int
    reset_after: float
    retry_after: float
    repeated: bool = False
    shadow: bool = False


def agent_key(name: str) -> str:
    """The key of an agent's windows: names are unique by lower case, and never change."""
    return name.lower()


def address_key(address: IPv4Address | IPv6Address) -> str:
    """The key of a client address's windows: 192.0.2.7, or for IPv6, of which a client has many, 2001:db8:0:1::/64."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is None:
            return str(IPv6Network((int(address), 64), strict=False))
        address = address.ipv4_mapped
    return str(address)
