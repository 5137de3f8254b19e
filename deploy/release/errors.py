"""The error of the commands in this package."""


class ReleaseError(Exception):
    """Why the release was not made, in one sentence for the person at the terminal."""
