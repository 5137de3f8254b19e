"""Measures the board relative to ceilings and rivals in the same run: ratios, never absolute times."""
