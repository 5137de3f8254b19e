"""What goes into the image beside the board itself. None of it may need more than the standard library."""
