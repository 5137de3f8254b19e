"""The fault matrix: faults and attacks on a board under load, and the promises that must hold; run by `make chaos`."""
