"""Ways to run the board. Code under services must not import from here."""
