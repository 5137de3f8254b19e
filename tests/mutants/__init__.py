"""Faulty builds that the tests must catch: one file for each area, run by `make mutants`."""
