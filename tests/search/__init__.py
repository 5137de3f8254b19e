"""How well a search finds what answers a question, and the words it looks for."""
