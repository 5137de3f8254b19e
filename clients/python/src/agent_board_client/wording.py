"""The wording of numbers in sentences."""


def counted(number: float, one: str, several: str = "") -> str:
    """Return a number without a fraction, and the word for it, whose plural ends with s unless it is given."""
    shown = f"{number:.0f}"
    return f"{shown} {one if shown == '1' else several or f'{one}s'}"
