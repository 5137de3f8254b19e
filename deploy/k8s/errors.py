"""Failures of the commands."""


class ClusterError(Exception):
    """A failure that the operator can understand: one or more complete sentences."""
