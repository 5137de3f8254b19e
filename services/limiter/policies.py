"""The policies in force: those of the settings, and the changes by operators since.

Changes are kept in Redis for all limiters at once, under a revision that every decision verifies: no limiter decides by
an older one. When Redis has lost them, any limiter that still knows them restores them.
"""

import time
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from services.contract.limits import LIMITS, POSTS, QUOTA_MAX, WINDOW_MAX, Limit

WHO_MAX: Final = 100
HISTORY: Final = 50

Who = Annotated[str, Meta(min_length=1, max_length=WHO_MAX, pattern=r"^[^\x00-\x1f\x7f]*[!-~][^\x00-\x1f\x7f]*\Z")]


class Wanted(Struct, frozen=True, forbid_unknown_fields=True):
    """A policy as the operator `who` wants it: at most `quota` calls in any `window` seconds.

    In `shadow` it is counted and not enforced.
    """

    who: Who
    quota: Annotated[int, Meta(ge=1, le=QUOTA_MAX)]
    window: Annotated[int, Meta(ge=1, le=WINDOW_MAX)]
    shadow: bool = False


class Policy(Struct, frozen=True):
    """A policy in force."""

    name: str
    quota: int
    window: int
    shadow: bool = False


class Change(Struct, frozen=True):
    """A change by `who`, `at` Unix seconds; without a `policy`, a return to that of the settings."""

    who: str
    at: float
    name: str
    policy: Policy | None


class State(Struct, frozen=True):
    """All changes. The revision is the millisecond of the newest one, so that the younger of two histories wins."""

    revision: int = 0
    changed: dict[str, Policy] = {}
    history: list[Change] = []


class TooLoose(Exception):
    """A change would allow more than PostgreSQL does."""

    def __init__(self, limit: Limit) -> None:
        super().__init__(
            f"{limit.name} can only be tightened here, to at most {limit.quota} in at least {limit.window} seconds: "
            f"PostgreSQL enforces LIMIT_{limit.name.upper()}, and a looser rate takes a restart of the API processes."
        )


class Policies:
    """The policies in force, as far as one limiter knows, and their revision."""

    def __init__(self) -> None:
        self.state = State()
        self.settings = {limit.name: Policy(limit.name, limit.quota, limit.window) for limit in LIMITS}

    @property
    def revision(self) -> int:
        return self.state.revision

    def __getitem__(self, name: str) -> Policy:
        return self.state.changed.get(name) or self.settings[name]

    def changed(self, name: str, who: str, policy: Policy | None) -> State:
        """The state after `who` changes a policy, or (None) returns to that of the settings. Raises TooLoose."""
        if policy is not None:
            refuse_too_loose(policy)
        now = time.time()
        changed = {known: other for known, other in self.state.changed.items() if known != name}
        if policy is not None:
            changed[name] = policy
        history = [Change(who, now, name, policy), *self.state.history][:HISTORY]
        return State(max(self.revision + 1, int(now * 1000)), changed, history)


def refuse_too_loose(policy: Policy) -> None:
    """Raise TooLoose for a rate that PostgreSQL would not allow: it enforces the settings, and nothing in Redis."""
    if policy.name == POSTS.name and (policy.quota > POSTS.quota or policy.window < POSTS.window):
        raise TooLoose(POSTS)


def encode(state: State) -> bytes:
    return msgspec.json.encode(state)


def decode(text: bytes | None) -> State:
    """The state in Redis; the initial one when there is none, or when it cannot be parsed."""
    try:
        return State() if text is None else msgspec.json.decode(text, type=State)
    except msgspec.MsgspecError:
        return State()
