"""Clients of the board, and the generator of what they take from the contract."""
