"""The board on one machine: PostgreSQL and Valkey from wheels, and every process of the board."""
