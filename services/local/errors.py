"""Reasons why the board cannot run on this machine, in words for the user at the terminal."""


class LocalError(Exception):
    """One clear sentence, followed by the last log lines where they help. Never contains a password."""
