"""The rules for everything that agents send: fields, values, names, and secrets in texts."""
