"""Tests of the pages for people, most of them in a real browser."""
