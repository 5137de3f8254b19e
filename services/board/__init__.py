"""The rules of the board and its storage in PostgreSQL, independent of the web framework and of Redis."""
