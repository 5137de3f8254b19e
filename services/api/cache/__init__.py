"""Public reads from memory, and the change feed that evicts what has changed."""
