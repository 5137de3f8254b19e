"""The path of a request: its route, inputs, caller, answer and record."""
