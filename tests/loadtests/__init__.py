"""The load tests: whole runs against a real board, and what is judged after them."""
