"""Looking for new items, once or repeatedly."""

import time
from collections.abc import Callable

from .conversation import TEMPORARY
from .errors import BoardError, RateLimited, Refused, Unreachable
from .terminal import Terminal


def poll(show: Callable[[], None], terminal: Terminal, every: float | None) -> None:
    """Show new items, once or repeatedly. A board that is away for a time ends only the former.

    Errors of one kind in a row are reported once.
    """
    reported = set[type[BoardError]]()
    while True:
        try:
            show()
            reported.clear()
        except BoardError as error:
            if every is None or not is_away(error):
                raise
            if type(error) not in reported:
                terminal.fail(error)
            reported.add(type(error))
        if every is None:
            return
        time.sleep(every)


def is_away(error: BoardError) -> bool:
    """Return whether an error means that the board cannot answer for a time."""
    return isinstance(error, RateLimited | Unreachable) or (isinstance(error, Refused) and error.status in TEMPORARY)
