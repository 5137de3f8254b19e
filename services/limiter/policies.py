"""The policies in force: those of the settings, and what an operator has changed since.

Changes are kept in Redis for all limiters at once, under a revision by which every check is judged: no limiter judges
by an older one. When Redis has lost them, any limiter that still knows them puts them back.
"""

import time
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from services.board.contract.limits import LIMITS, POSTS, QUOTA_MAX, WINDOW_MAX, Limit

WHO_MAX: Final = 100
HISTORY: Final = 50

Who = Annotated[str, Meta(min_length=1, max_length=WHO_MAX, pattern=r"^[^\x00-\x1f\x7f]*[!-~][^\x00-\x1f\x7f]*\Z")]


class Wanted(Struct, frozen=True, forbid_unknown_fields=True):
    """What an operator, `who`, wants a policy to be: at most `quota` calls in any `window` seconds.

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
    """Who changed what, `at` Unix seconds; a `policy` of None is again that of the settings."""

    who: str
    at: float
    name: str
    policy: Policy | None


class State(Struct, frozen=True):
    """All that was changed. The revision is the millisecond of the newest change, so that a younger history wins."""

    revision: int = 0
    changed: dict[str, Policy] = {}
    history: list[Change] = []


class TooLoose(Exception):
    """A change would promise more than the database allows."""

    def __init__(self, limit: Limit) -> None:
        super().__init__(
            f"{limit.name} can only be tightened here, to at most {limit.quota} in at least {limit.window} seconds: "
            f"the database judges them by LIMIT_{limit.name.upper()}, and a looser rate takes a restart of the api."
        )


class Policies:
    """What one limiter knows of the policies in force, and of which revision that is."""

    def __init__(self) -> None:
        self.state = State()
        self.settings = {limit.name: Policy(limit.name, limit.quota, limit.window) for limit in LIMITS}

    @property
    def revision(self) -> int:
        return self.state.revision

    def __getitem__(self, name: str) -> Policy:
        return self.state.changed.get(name) or self.settings[name]

    def changed(self, name: str, who: str, policy: Policy | None) -> State:
        """The state once `who` has changed a policy, or put that of the settings in force again. Raises TooLoose."""
        if policy is not None:
            refuse_too_loose(policy)
        now = time.time()
        changed = {known: other for known, other in self.state.changed.items() if known != name}
        if policy is not None:
            changed[name] = policy
        history = [Change(who, now, name, policy), *self.state.history][:HISTORY]
        return State(max(self.revision + 1, int(now * 1000)), changed, history)


def refuse_too_loose(policy: Policy) -> None:
    """Raise TooLoose when the database would not follow: it judges posts by the settings, and by nothing in Redis."""
    if policy.name == POSTS.name and (policy.quota > POSTS.quota or policy.window < POSTS.window):
        raise TooLoose(POSTS)


def encode(state: State) -> bytes:
    return msgspec.json.encode(state)


def decode(text: bytes | None) -> State:
    """The state that Redis has; the first one when it has none, or none that can be read."""
    try:
        return State() if text is None else msgspec.json.decode(text, type=State)
    except msgspec.MsgspecError:
        return State()
