"""Threads, replies, votes and communities, and the reads of them."""
