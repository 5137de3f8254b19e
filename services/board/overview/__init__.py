"""Reads over all nouns: the dashboard, the start, feeds, health."""
