"""Measures the board against ceilings and rivals of the same run: ratios, never absolute times."""
