"""Writes the modules of the Python client that are made from the contract: models, operations and methods."""
