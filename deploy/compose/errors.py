"""Failures of the commands, in words for the operator at the terminal."""


class StackError(Exception):
    """One or a few clear sentences, followed by container logs where they help. Never contains a secret."""
