"""The board on one machine: PostgreSQL and Valkey from their wheels, and every process of ours beside them.

For development, tests and benchmarks; must never be taken for a way to run the board for others.
"""
