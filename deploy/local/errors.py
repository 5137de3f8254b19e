"""What keeps the board from running on this machine, in words for the person at the terminal."""


class LocalError(Exception):
    """One clear sentence, and below it the last log lines where they help. Never holds a password."""
