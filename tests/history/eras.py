"""The eras of a history: a restore takes the board back to a backup, and each era is judged by itself.

Of what was answered before the backup began, nothing may be lost. Of what began while it was made, anything may be.
"""

import math
from collections.abc import Iterator, Sequence

import msgspec

from tests.history.record import Call

NOTED = ("nemesis", "run")


def eras(calls: Sequence[Call]) -> Iterator[Sequence[Call]]:
    """The calls up to each restore, as if it had cut them off, and those of the board that went on after the last."""
    for restore in [call for call in calls if call.does == "restore"]:
        yield [until(restore.invoked, call) for call in calls if call.invoked < restore.invoked]
        calls = [kept for call in calls if (kept := after(restore, call))]
    yield calls


def until(moment: float, call: Call) -> Call:
    """Return a call as it was known at a moment."""
    return call if call.ended is not None and call.ended < moment else without_outcome(call)


def after(restore: Call, call: Call) -> Call | None:
    """Return a call as the restored board must know it, or None if it must not."""
    began, complete = restore.sent["backup"]
    ended = math.inf if call.ended is None else call.ended
    if ended < began or call.invoked >= restore.invoked or call.outcome == "unknown" or call.process in NOTED:
        return call
    if ended > restore.invoked:
        return call if call.outcome == "ok" else None
    return without_outcome(call) if call.invoked < complete else None


def without_outcome(call: Call) -> Call:
    return msgspec.structs.replace(call, ended=None, outcome="unknown", status=0, seen={})
