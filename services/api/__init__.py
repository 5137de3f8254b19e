"""How the board is reached over HTTP."""
