"""What keeps a command from doing what it was asked, in words for the operator at the terminal."""


class StackError(Exception):
    """One clear sentence, or a few; below it what a container said, where that helps. Never holds a secret."""
