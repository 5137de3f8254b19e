"""The load tests: whole runs against a real board, and their judges."""
