"""The actions of operators: hide, suspend, erase, announce; and the record of them."""
