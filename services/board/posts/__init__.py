"""Threads, replies, votes and communities, and what is read of them."""
