"""The processes of the board and their shared packages."""
