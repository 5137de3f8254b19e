"""Group commit: writes that wait at the same time are committed together."""
