"""Moments as an operator names them, a duration before now or a date, and as an operator reads them."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import typer

UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
PERIOD_MAX: Final = 3650 * 86_400
DURATION: Final = "a duration, such as 30m, 12h, 7d or 2w"
PERIOD: Final = f"{DURATION}, from 1s to ten years"
MOMENT: Final = "a duration before now, such as 30m, 12h, 7d or 2w, or a time in UTC, such as 2026-11-25T13:00"


def moment(text: str) -> datetime:
    """Parse a duration before now, or an ISO 8601 time, which is in UTC unless it names a zone. Raises BadParameter."""
    seconds = seconds_of(text)
    try:
        if seconds is not None:
            return datetime.now(UTC) - timedelta(seconds=seconds)
        given = datetime.fromisoformat(text.strip())
        return (given if given.tzinfo else given.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise typer.BadParameter(f"give {MOMENT}") from None


def seconds_of(text: str) -> int | None:
    """Return the seconds of a duration such as 7d; None if the text is none."""
    found = re.fullmatch(r"([0-9]{1,9})([smhdw])", text.strip())
    return int(found[1]) * UNITS[found[2]] if found else None


def duration(seconds: int) -> str:
    """Return seconds as a duration that the commands take, such as 24h, in the largest unit of which there are two."""
    units = ((unit, each) for unit, each in reversed(UNITS.items()) if seconds % each == 0 and seconds >= 2 * each)
    unit, each = next(units, ("s", 1))
    return f"{seconds // each}{unit}"


def stamp(seconds: float) -> str:
    """Return a time in Unix seconds as operators read it."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}Z"


def period(text: str) -> int:
    """Parse a duration that begins with a command: 1 second to 10 years, in seconds. Raises BadParameter."""
    seconds = seconds_of(text)
    if seconds is None or not 0 < seconds <= PERIOD_MAX:
        raise typer.BadParameter(f"give {PERIOD}")
    return seconds


def since(help_text: str) -> Any:
    """Return an option that takes a moment; `help_text` explains it."""
    return typer.Option(parser=moment, metavar="TIME", help=f"{help_text}: {MOMENT}.")
