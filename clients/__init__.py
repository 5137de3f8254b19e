"""Clients of the board, and the generator of the parts that they take from the contract."""
