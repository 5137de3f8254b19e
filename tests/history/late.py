"""The judge of what comes late: the last posts are signed and found by complete searches in the end."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tests.history.record import Call

# fields of the final answer to a call
LATE: Mapping[str, Callable[[dict[str, Any]], bool]] = {
    "read_receipt": lambda seen: bool(seen.get("log")),
    "search_board": lambda seen: seen.get("incomplete") is False,
}


def has_come(call: Call) -> bool:
    """Return whether an answer has what comes late."""
    return call.status == 200 and LATE[call.does](call.seen)


def all_has_come(calls: Sequence[Call]) -> Iterator[str]:
    """Whatever was read until it came has come."""
    come: dict[str, bool] = {}
    for call in calls:
        if call.sent.get("late"):
            path = call.sent["path"]
            come[path] = come.get(path, False) or has_come(call)
    yield from (f"{path} never had what comes late" for path, has in come.items() if not has)
