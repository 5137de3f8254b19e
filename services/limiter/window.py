"""The windows in Redis: one script call decides a whole list of checks by Redis's own clock."""

import hashlib
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

import hiredis
from msgspec import Struct

from services.contract.checks import Check

from .connection import Command, Connection, StoreAway
from .policies import Policy

POLICIES_KEY: Final = "limit-policies"
MICROSECONDS: Final = 1_000_000


class Script(NamedTuple):
    """A Lua script and the SHA-1 by which Redis knows it."""

    text: bytes
    sha: str


def _script(name: str) -> Script:
    text = Path(__file__).with_name(name).read_bytes()
    return Script(text, hashlib.sha1(text, usedforsecurity=False).hexdigest())


WINDOW: Final = _script("window.lua")
POLICIES: Final = _script("policies.lua")


class Decision(Struct, frozen=True, gc=False):
    """The decision of window.lua on a check: 0 refused, 1 counted, 2 counted before, 3 allowed because of the shadow.

    `used` calls count now; `reset` and `retry` are in seconds.
    """

    state: int
    used: int
    reset: float
    retry: float


REFUSED, COUNTED, COUNTED_BEFORE, SHADOW = range(4)


class Windows:
    """The windows of all agents and addresses, and the policies that were changed at run time."""

    def __init__(self, url: str) -> None:
        """Raise ValueError for a wrong address."""
        self._connection = Connection(url)
        self.loads = 0

    async def decide(
        self, revision: int, policies: Mapping[str, Policy], checks: Sequence[Check]
    ) -> list[Decision] | None:
        """Decide checks in their order by the policies of a revision. Raises StoreAway.

        None when another revision is in force; then nothing was decided.
        """
        numbers = {name: number for number, name in enumerate(policies, 1)}
        rates = [(p.quota, p.window * MICROSECONDS, int(p.shadow)) for p in policies.values()]
        keys = [window_key(check.policy, check.key) for check in checks]
        asked = [part for check in checks for part in (numbers[check.policy], check.id)]
        arguments = (revision, len(rates), *chain.from_iterable(rates), *asked)
        found, *decided = await self._run(WINDOW, (POLICIES_KEY, *keys), arguments)
        if found != revision:
            return None
        quadruples = zip(*[iter(decided)] * 4, strict=True)
        return [Decision(s, u, reset / MICROSECONDS, retry / MICROSECONDS) for s, u, reset, retry in quadruples]

    async def release(self, checks: Sequence[Check]) -> list[bool]:
        """Take checks out of their windows; for each, whether it was there. Raises StoreAway."""
        commands = [("ZREM", window_key(check.policy, check.key), check.id) for check in checks]
        return [bool(removed) for removed in await self._ask(*commands)] if commands else []

    async def read(self, policy: str, key: str) -> tuple[float, list[float]]:
        """Redis's time, and the times of the calls that a window holds, oldest first; all in Unix seconds.

        Calls that no longer count may be among them. Raises StoreAway.
        """
        calls: Command = ("ZRANGE", window_key(policy, key), 0, -1, "WITHSCORES")
        (seconds, microseconds), found = await self._ask(("TIME",), calls)
        now = int(seconds) + int(microseconds) / MICROSECONDS
        return now, [float(score) / MICROSECONDS for score in found[1::2]]

    async def forget(self, policy: str, key: str) -> bool:
        """Empty a window; return whether it held anything. Raises StoreAway."""
        (removed,) = await self._ask(("DEL", window_key(policy, key)))
        return bool(removed)

    async def read_policies(self) -> tuple[int, bytes | None]:
        """The revision and the state in force: 0 and None when Redis has none. Raises StoreAway."""
        ((revision, state),) = await self._ask(("HMGET", POLICIES_KEY, "revision", "state"))
        return int(revision or 0), state

    async def replace_policies(self, expected: int, revision: int, state: bytes) -> bool:
        """Put a state in force; False when the revision in force is not the expected one. Raises StoreAway."""
        return bool(await self._run(POLICIES, (POLICIES_KEY,), (expected, revision, state)))

    async def answers(self) -> bool:
        """Whether Redis answers now."""
        try:
            await self._ask(("PING",))
        except StoreAway:
            return False
        return True

    async def close(self) -> None:
        """Close the connection; commands in flight get StoreAway."""
        await self._connection.close()

    async def _run(self, script: Script, keys: Command, arguments: Command) -> Any:
        rest = (len(keys), *keys, *arguments)
        (reply,) = await self._connection.ask(("EVALSHA", script.sha, *rest))
        if isinstance(reply, hiredis.ReplyError) and str(reply).startswith("NOSCRIPT"):
            self.loads += 1
            (reply,) = await self._connection.ask(("EVAL", script.text, *rest))
        self._verify(reply)
        return reply

    async def _ask(self, *commands: Command) -> list[Any]:
        replies = await self._connection.ask(*commands)
        for reply in replies:
            self._verify(reply)
        return replies

    def _verify(self, reply: Any) -> None:
        """Raise StoreAway for an error of Redis's."""
        error = str(reply).partition(" ")[0] if isinstance(reply, hiredis.ReplyError) else None
        self._connection.note(error)
        if error is not None:
            raise StoreAway(error)


def window_key(policy: str, key: str) -> str:
    """The name of a window in Redis."""
    return f"limit:{policy}:{key}"
