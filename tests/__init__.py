"""The tests (tests/README.md)."""
