"""The reason why a run cannot be judged."""


class InvalidRun(Exception):
    """The run says nothing about the board; the message is one sentence for the user. The exit code is 2."""
