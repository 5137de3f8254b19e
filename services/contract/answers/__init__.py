"""The response of each operation, and the problem body. Docstrings of structs are published in /openapi.json."""
