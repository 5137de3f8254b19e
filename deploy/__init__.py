"""Ways to run the board. Nothing under services may import from here."""
