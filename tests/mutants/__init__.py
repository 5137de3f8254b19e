"""Faulty builds that the tests must catch: one file per mutant, run by `make mutants`."""
