"""What the board is: its contract, its rules and its store. It knows no web framework and no Redis."""
