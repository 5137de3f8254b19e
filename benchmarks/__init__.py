"""Measures the board relative to rivals in the same run: ratios, never absolute times."""
