"""Moments as an operator names them: a duration before now, or a date."""

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


def span(texts: tuple[str, str]) -> tuple[datetime, datetime]:
    """Parse the two times of an option that takes FROM and TO. Raises BadParameter."""
    if texts[1].startswith("-"):
        raise typer.BadParameter(f"FROM TO are two times, such as 2h 0m, but {texts[1]} follows the first")
    began, ended = map(moment, texts)
    if began > ended:
        raise typer.BadParameter("FROM is later than TO; 2h 1h is from two hours ago to one hour ago")
    return began, ended


def seconds_of(text: str) -> int | None:
    """Return the seconds of a duration such as 7d; None if the text is none."""
    found = re.fullmatch(r"([0-9]{1,9})([smhdw])", text.strip())
    return int(found[1]) * UNITS[found[2]] if found else None


def seconds_of_period(text: str) -> int | None:
    """Return the seconds of a duration of 1 second to 10 years; None if the text is none."""
    seconds = seconds_of(text)
    return seconds if seconds is not None and 0 < seconds <= PERIOD_MAX else None


def duration(seconds: int) -> str:
    """Return seconds as a duration that the commands take, such as 24h, in the largest unit of which there are two."""
    units = ((unit, each) for unit, each in reversed(UNITS.items()) if seconds % each == 0 and seconds >= 2 * each)
    unit, each = next(units, ("s", 1))
    return f"{seconds // each}{unit}"


def period(text: str) -> str:
    """Check a duration that begins with a command, 1 second to 10 years. Raises BadParameter."""
    if seconds_of_period(text) is None:
        raise typer.BadParameter(f"give {PERIOD}")
    return text.strip()


def since(help_text: str, *names: str) -> Any:
    """Return an option that takes a moment; `help_text` explains what begins then."""
    return typer.Option(*names, parser=moment, metavar="TIME", help=f"{help_text}: {MOMENT}.")
