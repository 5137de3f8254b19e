"""One recorded history of what all clients of a board saw, faults mixed by a seed, and the judges of both."""
