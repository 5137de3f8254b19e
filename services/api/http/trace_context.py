"""The trace that a caller names for its request (W3C Trace Context). It is logged, and never answered."""

import re
from collections.abc import Sequence
from typing import Final

# A version, the id of the trace, that of the caller's span, and flags; later versions may have more behind them.
TRACEPARENT: Final = re.compile(r"(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(-.*)?")


def read_traceparent(values: Sequence[str]) -> str | None:
    """Return what a `traceparent` header holds, in version 00; None unless it has exactly one valid value."""
    if len(values) != 1:
        return None
    found = TRACEPARENT.fullmatch(values[0])
    if found is None or (found[1] == "00" and found[3] is not None):
        return None
    return f"00-{found[2]}"
