"""Request bodies and queries. Docstrings of structs are published in /openapi.json."""
