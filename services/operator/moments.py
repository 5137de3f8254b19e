"""Moments as an operator names them: a duration before now, or a date."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import typer

UNITS: Final = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
MOMENT: Final = "a duration before now, such as 30m, 12h, 7d or 2w, or a time in UTC, such as 2026-11-25T13:00"


def moment(text: str) -> datetime:
    """Parse a duration before now, or an ISO 8601 time, which is in UTC unless it names a zone. Raises BadParameter."""
    found = re.fullmatch(r"([0-9]{1,6})([mhdw])", text.strip())
    try:
        if found:
            return datetime.now(UTC) - timedelta(**{UNITS[found[2]]: int(found[1])})
        given = datetime.fromisoformat(text.strip())
        return (given if given.tzinfo else given.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise typer.BadParameter(f"give {MOMENT}") from None


def since(help_text: str, *names: str) -> Any:
    """Return an option that takes a moment; `help_text` explains what begins then."""
    return typer.Option(*names, parser=moment, metavar="TIME", help=f"{help_text}: {MOMENT}.")
