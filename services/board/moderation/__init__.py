"""What operators do: hide, suspend, erase, announce; and the record of it."""
