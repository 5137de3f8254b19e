"""Scripts that go into the image in addition to the board. They may use only the standard library."""
