"""The verifiable log (interface 7.10), with the formats of C2SP."""
