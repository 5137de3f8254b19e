"""Search, and the index that it reads."""
