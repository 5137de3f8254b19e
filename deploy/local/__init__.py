"""The board on one machine: PostgreSQL and Valkey from wheels, and every process of the board.

For development, tests and benchmarks only; never use it to serve others.
"""
